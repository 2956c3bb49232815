import { inlineHash } from '../../page-kit/page-text.ts'
import { BASE_STYLE, WIDE_STYLE } from '../wire/page-kit/style.ts'

export const DOCS_STYLE = `${BASE_STYLE}${WIDE_STYLE}
html{scroll-padding-top:1rem}
.docs{max-width:80rem}
.docs [hidden]{display:none}
.docs h1{font-size:2rem}
.docs .lead{font-size:1.125rem}
.docs h2{font-size:1.25rem;margin:2.5rem 0 .5rem}
.docs h3{font-size:1rem;margin:0;line-height:1.4}
.docs h4{font-size:.875rem;margin:1.5rem 0 .375rem;font-weight:650}
.docs a.skip{position:absolute;left:-999rem}
.docs a.skip:focus{position:static}
.docs summary{cursor:pointer;list-style:none}
.docs summary::-webkit-details-marker{display:none}
.docs summary::before{content:'';flex:none;align-self:center;width:.4375rem;height:.4375rem;margin:0 .25rem 0 .125rem;border:solid var(--soft);border-width:0 1.5px 1.5px 0;transform:rotate(-45deg)}
.docs details[open]>summary::before{transform:rotate(45deg)}
.docs code,.docs pre,.docs textarea,.docs .masked,.docs .pair input{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.docs ul,.docs ol{padding-left:1.375rem;margin:0 0 1rem}
.docs pre{margin:0;padding:.75rem 1rem;background:var(--ground);border:1px solid var(--line);border-radius:.375rem;overflow-x:auto;white-space:pre-wrap}
.docs #quick-start>h2{margin-top:0}
.docs #quick-start>pre,.docs #quick-start>.code pre{background:var(--card)}

/* Contents */
.toc{font-size:.875rem;margin:0 0 1.5rem}
.toc p{margin:0;font-weight:650}
.toc div{margin-top:1rem}
.docs .toc ul{list-style:none;margin:.25rem 0 0;padding:0}
.toc a{color:inherit;text-decoration:none}
.toc p a{display:inline-block;padding:.1875rem 0}
.toc li a{display:grid;grid-template-columns:2.75rem minmax(0,1fr);gap:0 .5rem;align-items:baseline;padding:.25rem .5rem;margin:0 -.5rem;border-radius:.375rem}
.toc li a>code:only-child{grid-column:1/-1}
.toc li a:hover{background:var(--line)}
.toc p a:hover{color:var(--accent);text-decoration:underline}
.toc .says{grid-column:2;color:var(--soft);font-size:.8125rem;line-height:1.35}
.toc .verb{border:0;padding:0;font-size:.75rem}
.docs .toc code{font-size:.8125rem}
.toc .hint{min-height:1.3125rem;font-weight:400;margin:.5rem 0 .25rem}
@media (max-width:63.99rem){.toc{display:flex;flex-wrap:wrap;gap:0 1rem;padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.toc search{flex:1 0 100%}.toc div{display:flex;gap:0 1rem;margin:0}.docs .toc ul{display:none}}
@media (min-width:64rem){.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:3rem}
.toc{position:sticky;top:0;max-height:100vh;overflow:auto;margin:-.5rem 0 0 -.5rem;padding:.5rem .75rem 2rem .5rem;align-self:start}}

/* Operations and chapters */
.operation,.chapter{margin:0 0 .5rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.operation>summary,.chapter>summary{display:grid;grid-template-columns:auto auto minmax(0,1fr);gap:.125rem .625rem;align-items:baseline;padding:.75rem 1rem;border-radius:.5rem}
.operation>summary:hover,.chapter>summary:hover{background:var(--ground)}
.operation[open]>summary{border-bottom:1px solid var(--line);border-radius:.5rem .5rem 0 0}
.operation[open],.chapter[open]{margin-bottom:1.25rem}
.operation h3{display:flex;gap:.625rem;align-items:baseline;min-width:0;flex:0 1 auto;font-weight:400}
.operation h3 code{font-weight:600}
.operation .says{color:var(--soft);font-size:.9375rem;text-align:right}
.root{font-weight:400;color:var(--soft)}
.chapter{background:none}
.docs .chapter h2{margin:0;font-size:1rem}
.group+.chapter{margin-top:2.5rem}
.about{padding:1rem 1.25rem 1.25rem;scroll-margin-top:4rem}
.about>:last-child{margin-bottom:0}
.about:target{outline:0}
.operation:has(>.about:target){border-color:var(--accent)}
.point{padding:.75rem 0;border-top:1px solid var(--line)}
.point h3{margin:0 0 .25rem}
.point p:last-child{margin:0}
.point:target,.fields div:target{outline:2px solid var(--accent);outline-offset:.25rem;border-radius:.125rem}
@media (max-width:35rem){.docs{padding:1.25rem 1rem 3rem}.operation>summary,.chapter>summary{padding:.75rem}.about{padding:1rem .75rem}
.operation>summary{grid-template-columns:auto minmax(0,1fr)}.operation .says{grid-column:2;text-align:left}.operation .root{display:none}}
.operation h3 .verb{min-width:2rem}
.verb{font:650 .8125rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;flex:none}
.verb.get{color:var(--accent)}
.verb.post,.verb.put{color:var(--good)}
.needs{color:var(--soft);font-size:.9375rem}
.fields{margin:0;border-top:1px solid var(--line)}
.fields div{display:grid;grid-template-columns:minmax(0,16rem) minmax(0,1fr);gap:.125rem 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
@media (max-width:42rem){.fields div{grid-template-columns:minmax(0,1fr)}}
.fields dt{font-weight:600}
.fields dd{margin:0}
.fields .type{color:var(--soft);font-size:.9375rem}
.fields p{margin:0}
.tag{font-weight:400;font-size:.8125rem;color:var(--soft);margin-left:.375rem}
.tag a{color:inherit}
.refusals{list-style:none}
.docs .refusals{padding:0;margin:0}
.refusals li{padding:.125rem 0}
.refusals a{color:inherit;margin-right:.625rem}

/* Try it */
.credential{margin:1.5rem 0;padding:1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.credential h3{margin-bottom:.75rem}
.credential .hint,.try .hint{margin:.5rem 0 0}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:.75rem 1rem}
.docs label{font-size:.875rem}
.docs input,.docs select,.docs textarea{min-height:2.375rem;padding:.375rem .625rem}
.docs textarea{display:block;width:100%;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:.375rem;resize:vertical;field-sizing:content}
.docs textarea:focus-visible{outline-offset:0;border-color:var(--accent)}
.masked:not(:focus){-webkit-text-security:disc}
.try{margin:1rem 0;border:1px solid var(--accent);border-radius:.5rem}
.try>summary{display:flex;align-items:center;gap:.5rem;padding:.5rem .875rem;color:var(--accent);border-radius:.5rem}
.docs .try h4{margin:0}
.docs .try>summary::before{border-color:var(--accent)}
.try form{display:grid;gap:1rem;padding:.75rem 1rem 1rem}
.try [data-answer]:empty{display:none}
.send{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem}
.docs button{width:auto;min-height:2.375rem;padding:.375rem 1.25rem}
.docs .send .hint{margin:0}
.docs .outcome{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline;margin:0 0 .5rem;font-weight:600}
.outcome.good strong{color:var(--good)}
.outcome.bad strong{color:var(--bad)}
.docs .answer .notice{margin:0 0 .75rem}
.code section{max-height:28rem;overflow:auto;border-radius:.375rem}
.answer h5{font-size:.8125rem;margin:1rem 0 .25rem;color:var(--soft);font-weight:650}
.code{position:relative}
.code pre{padding-right:4.5rem;min-height:2.75rem}
.docs .code>button{position:absolute;top:.375rem;right:.375rem;min-height:1.875rem;padding:0 .625rem;font-size:.8125rem;background:var(--card);border-color:var(--line)}
.docs .code>button:hover{border-color:var(--edge)}
.docs .code:has(>dl)>button{top:-2.125rem;right:0}
.lines div{grid-template-columns:7rem minmax(0,1fr);padding:.25rem 0}
.lines dt{font-weight:400;font-size:.875rem;color:var(--soft)}
@media (max-width:42rem){.lines div{grid-template-columns:6.25rem minmax(0,1fr)}}
@media (max-width:35rem){.docs pre{font-size:.8125rem}.code pre{padding:2.5rem .75rem .75rem}}
`

export const DOCS_STYLE_HASH = inlineHash(DOCS_STYLE)
