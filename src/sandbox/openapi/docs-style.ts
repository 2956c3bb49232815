import { hash } from 'node:crypto'

/** What the documentation page needs beyond page-parts/style.ts, whose colours it uses; without `<`, `&` and double quotes. */
export const DOCS_STYLE = `
html{scroll-padding-top:1rem}
.docs{max-width:78rem;margin:0 auto;padding:2rem 1.25rem 4rem}
.docs h1{font-size:2rem;margin:0 0 .25rem}
.docs .lead{color:var(--soft);font-size:1.125rem;margin:0 0 1.5rem}
.docs h2{font-size:1.375rem;margin:3rem 0 1rem;padding-top:1.25rem;border-top:1px solid var(--line)}
.docs h3{font-size:1.0625rem;margin:0 0 .5rem;line-height:1.4}
.docs h4{font-size:.8125rem;letter-spacing:.04em;color:var(--soft);margin:1.5rem 0 .375rem;font-weight:650}
.docs main{max-width:none;margin:0;padding:0;background:none;border:0;border-radius:0;min-width:0}
.docs a.skip{position:absolute;left:-999rem}
.docs a.skip:focus{position:static}
.toc{font-size:.9375rem;margin:0 0 2rem;padding:1rem 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.toc p{font-weight:650;margin:0 0 .125rem}
.toc div{margin-top:1rem}
.toc ul{list-style:none;margin:0;padding:0}
.toc a{display:block;padding:.3125rem 0;text-decoration:none;color:inherit}
.toc a:hover{color:var(--accent);text-decoration:underline}
@media (min-width:64rem){.columns{display:grid;grid-template-columns:17rem minmax(0,1fr);gap:2.5rem}
.toc{position:sticky;top:1rem;max-height:calc(100vh - 2rem);overflow:auto;margin:0}}
.operation{padding:1.25rem;margin:0 0 1.25rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
.operation:target{border-color:var(--accent)}
@media (max-width:35rem){.docs{padding:1.25rem 1rem 3rem}.operation{margin-inline:-1rem;border-radius:0;border-width:1px 0;padding:1.25rem 1rem}}
.operation h3 a{color:inherit;text-decoration:none}
.operation h3 a:hover{text-decoration:underline}
.call{display:flex;flex-wrap:wrap;gap:.25rem .625rem;align-items:baseline;margin:0 0 .75rem}
.verb{font:650 .8125rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;padding:.25rem .375rem;border-radius:.25rem;border:1px solid currentColor}
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
.docs pre{margin:0;padding:.75rem 1rem;background:var(--ground);border:1px solid var(--line);border-radius:.375rem;overflow-x:auto;white-space:pre-wrap}
.docs code,.docs pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.docs ul,.docs ol{padding-left:1.375rem;margin:0 0 1rem}
.refusals{list-style:none}
.docs .refusals{padding:0;margin:0}
.refusals li{padding:.125rem 0}
.refusals a{color:inherit;margin-right:.625rem}
.tag a{color:inherit}
.docs .toc ul{padding:0;margin:0}
`

export const DOCS_STYLE_HASH = `sha256-${hash('sha256', DOCS_STYLE, 'base64')}`
