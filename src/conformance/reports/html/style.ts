import { createHash } from 'node:crypto'
import { FILTERS } from './requirements-part.ts'

/**
 * The one style sheet. It holds no `<`; its hash is what the page's policy allows. Every text color keeps a contrast of at
 * least 4.5 to 1 on its ground, in light and dark, and no color says anything that a word next to it does not say.
 */
export const STYLE = `
:root{color-scheme:light dark;--ground:#f6f5f2;--card:#fffefc;--sunk:#f1efea;--ink:#1d1f23;--soft:#575c64;--line:#dedbd4;--edge:#8b8f96;
--accent:#1f4fd1;--bad:#a6241c;--bad-ground:#fcefed;--bad-fill:#c8443b;--good:#1a6238;--good-ground:#e9f4ec;--good-fill:#3f9a65;
--doubt:#7a4b00;--doubt-ground:#fbf1d9;--doubt-fill:#d9a032;--info:#2f4b8f;--info-ground:#eaf0fc;--info-fill:#7d97d8;--quiet-ground:#ecebe7;--quiet-fill:#c9c6bf}
@media (prefers-color-scheme:dark){:root{--ground:#131417;--card:#1a1c20;--sunk:#212429;--ink:#e9e8e4;--soft:#a8adb5;--line:#32353b;--edge:#7d828b;
--accent:#9db7ff;--bad:#ffb0a6;--bad-ground:#3a1f1c;--bad-fill:#d9665c;--good:#9fdcb4;--good-ground:#16301f;--good-fill:#4fa873;
--doubt:#f2cf86;--doubt-ground:#372b10;--doubt-fill:#c99a3f;--info:#b8cbff;--info-ground:#1f2a45;--info-fill:#6f88c9;--quiet-ground:#2a2d32;--quiet-fill:#4a4e55}}
@media print{:root{color-scheme:light;--ground:#fff;--card:#fff;--sunk:#f6f5f2;--ink:#000;--soft:#454545;--line:#ccc;--edge:#888;
--accent:#000;--bad:#8c1d16;--bad-ground:#fff;--bad-fill:#c8443b;--good:#14502d;--good-ground:#fff;--good-fill:#3f9a65;
--doubt:#5f3a00;--doubt-ground:#fff;--doubt-fill:#d9a032;--info:#20366b;--info-ground:#fff;--info-fill:#7d97d8;--quiet-ground:#fff;--quiet-fill:#c9c6bf}}
*,*::before,*::after{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
overflow-wrap:anywhere;-webkit-text-size-adjust:100%;-webkit-print-color-adjust:exact;print-color-adjust:exact}
code,pre,.canonical{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
code{font-size:.875em}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.2rem}
:target{outline:2px solid var(--accent);outline-offset:3px;border-radius:.375rem}
section.part:target{outline:none}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:1}
.sheet{max-width:80rem;margin:0 auto;padding:2rem 1.5rem 4rem}
nav ul{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.875rem}
nav{margin:0 0 1.5rem}
nav a{display:inline-block;padding:.25rem 0;color:var(--soft);text-decoration:none}
nav a:hover{color:var(--ink);text-decoration:underline}
@media (min-width:72rem){.sheet{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:2.5rem}
nav{position:sticky;top:2rem;align-self:start;margin:0}
nav ul{display:block;border-left:1px solid var(--line)}
nav a{display:block;padding:.3rem 0 .3rem 1rem}}
h1,h2,h3,h4,h5,p,dl,ul,ol{margin:0}
.soft{color:var(--soft);font-weight:400}
.verdict{background:var(--card);border:1px solid var(--line);border-top:6px solid var(--edge);border-radius:.75rem;padding:1.75rem 2rem 1.5rem}
.verdict.good{border-top-color:var(--good-fill)}.verdict.bad{border-top-color:var(--bad-fill)}.verdict.doubt{border-top-color:var(--doubt-fill)}
.kicker{color:var(--soft);font-size:.875rem;letter-spacing:.01em}
h1{font-size:2.25rem;line-height:1.15;letter-spacing:-.02em;font-weight:700;margin:.75rem 0 .375rem}
.good h1{color:var(--good)}.bad h1{color:var(--bad)}.doubt h1{color:var(--doubt)}
.says{font-size:1.125rem;max-width:44rem}
.says+.says{margin-top:.5rem}
.about-what{color:var(--soft)}
.about-what code{color:var(--ink)}
.bar{display:block;width:100%;height:.875rem;margin:1.5rem 0 .75rem;border-radius:.25rem}
rect.violated{fill:var(--bad-fill)}rect.known{fill:var(--info-fill)}rect.inconclusive{fill:var(--doubt-fill)}rect.not_exercised{fill:var(--quiet-fill)}rect.shown{fill:var(--good-fill)}
.legend{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;font-size:.9375rem}
.legend b,.count,.status,.marks{font-variant-numeric:tabular-nums}
.swatch{display:inline-block;width:.75em;height:.75em;border-radius:.15em;margin-right:.35em}
.swatch.violated{background:var(--bad-fill)}.swatch.known{background:var(--info-fill)}.swatch.inconclusive{background:var(--doubt-fill)}.swatch.not_exercised{background:var(--quiet-fill)}.swatch.shown{background:var(--good-fill)}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11.25rem,1fr));gap:1rem 1.5rem;padding:1.5rem 2rem 0;font-size:.9375rem}
.facts .wide{grid-column:1/-1}
.facts dt,.failure dt{color:var(--soft);font-size:.8125rem}
.facts dd{margin:0}
.marks,.digests{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.mark{display:inline-block;padding:.05em .55em;border-radius:1em;font-size:.8125rem;line-height:1.5;font-weight:600;background:var(--quiet-ground);color:var(--soft)}
.mark.good{background:var(--good-ground);color:var(--good)}.mark.bad{background:var(--bad-ground);color:var(--bad)}
.mark.doubt{background:var(--doubt-ground);color:var(--doubt)}.mark.info{background:var(--info-ground);color:var(--info)}
.part{margin-top:3.5rem}
h2{font-size:1.5rem;line-height:1.25;letter-spacing:-.012em;font-weight:680}
.about{color:var(--soft);margin:.25rem 0 0;max-width:44rem}
h2~*{margin-top:1.25rem}
h2+.about{margin-top:.25rem}
h3{font-size:1.0625rem;line-height:1.4;font-weight:650}
h4{font-size:1rem;line-height:1.4;font-weight:600}
h5{font-size:.8125rem;font-weight:600;color:var(--soft);margin:1rem 0 .25rem}
.violation{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1.5rem 2rem;margin-top:1.25rem;break-inside:auto}
.statement{font-size:1.125rem;line-height:1.45;margin:.625rem 0 .125rem;max-width:46rem}
.failure{border-top:1px solid var(--line);margin-top:1.25rem;padding-top:1.25rem}
.failure dl{margin-top:.75rem;display:grid;gap:.625rem}
.failure dl>div{display:grid;grid-template-columns:7rem minmax(0,1fr);gap:0 1rem;align-items:baseline}
.failure dd{margin:0;min-width:0;white-space:pre-wrap}
.failure .actual dd{color:var(--bad);font-weight:600}
.failure .cause dd{background:var(--doubt-ground);border-radius:.375rem;padding:.375rem .75rem;margin-left:-.75rem}
.canonical{margin:0;padding:.625rem .75rem .625rem 2.75rem;background:var(--sunk);border-radius:.375rem;font-size:.875rem;line-height:1.6;white-space:normal}
.canonical li::marker{color:var(--soft)}
.canonical code{font-size:1em}
.canonical .differs{background:var(--bad-ground);box-shadow:-2.25rem 0 0 var(--bad-ground);color:var(--bad);padding:.125rem 0}
.canonical .differs::marker{color:var(--bad)}
.canonical em{display:block;font:.8125rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
.canonical i{color:var(--soft)}
pre{margin:0;padding:.625rem .75rem;background:var(--sunk);border-radius:.375rem;font-size:.8125rem;line-height:1.55;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
pre i{font-style:normal;color:var(--soft)}
.command+.command{margin-top:.375rem}
.command{-webkit-user-select:all;user-select:all}
.checks,.plain,.notes,.things{list-style:none;padding:0}
.checks li{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:0 .75rem;padding:.5rem 0;border-top:1px solid var(--line);font-size:.9375rem}
.checks li>.mark{justify-self:start;align-self:start}
.checks p,.checks div{min-width:0}
.checks .reason{font-weight:600}
.part>.checks,.part>.bill,.answers{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.5rem 2rem}
.part>.checks>li:first-child{border-top:0}
.gap{border-left:3px solid var(--quiet-fill);padding:0 0 0 1.25rem;margin-top:1.5rem}
.gap p,.gap ul{margin-top:.375rem}
.notes li,.plain li{position:relative;padding-left:1rem;color:var(--soft);font-size:.9375rem}
.plain li b{color:var(--ink)}
.notes li::before,.plain li::before{content:'–';position:absolute;left:0}
.ids{font-size:.875rem;line-height:1.9;font-variant-numeric:tabular-nums}
.ids a{margin-right:.5rem;display:inline-block;max-width:100%}
summary{cursor:pointer;border-radius:.25rem}
.more{margin-top:.5rem}
.more>summary{color:var(--soft);font-size:.875rem;display:inline-block;padding:.125rem 0;list-style:none}
.more>summary::-webkit-details-marker{display:none}
.more>summary::before{content:'▸';display:inline-block;margin-right:.4em;font-size:.8em}
.more[open]>summary::before{content:'▾'}
.more>summary:hover{color:var(--ink)}
.more>.checks{margin-top:.375rem}
.filters{border:0;padding:0;min-width:0;display:flex;flex-wrap:wrap;gap:.5rem}
.filters legend{color:var(--soft);font-size:.875rem;padding:0;margin-bottom:.375rem}
.filters span{position:relative}
.filters input{position:absolute;opacity:0;inset:0;width:100%;height:100%;margin:0;cursor:pointer}
.filters label{display:block;padding:.25rem .875rem;border:1px solid var(--edge);border-radius:2rem;font-size:.9375rem}
.filters b{font-variant-numeric:tabular-nums;font-weight:600}
.filters input:checked+label{background:var(--ink);border-color:var(--ink);color:var(--ground)}
.filters input:focus-visible+label{outline:3px solid var(--accent);outline-offset:2px}
FILTER_RULES
table{width:100%;border-collapse:collapse;font-size:.9375rem}
th{text-align:left;font-weight:600}
thead th{color:var(--soft);font-size:.8125rem;font-weight:500}
th,td{padding:.5rem .75rem .5rem 0;vertical-align:top;border-bottom:1px solid var(--line)}
tr>:last-child{padding-right:0}
.area{background:var(--card);margin-top:1.75rem}
.areas{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:.25rem 2rem 1rem}
.areas>.area:first-child{margin-top:0}
caption{text-align:left;font-weight:650;font-size:1.0625rem;padding:1rem 0 .25rem}
.area thead{position:absolute;left:-100vw}
.area th[scope=row]{width:6.5rem;font-variant-numeric:tabular-nums}
.area .level{width:4rem;color:var(--soft)}.area .state{width:8.5rem;text-align:right}
.area tr:last-child>*{border-bottom:0}
.bill{max-width:40rem;display:block}
.bill thead,.bill tbody{display:table;width:100%;table-layout:fixed}
.bill td,.bill thead th+th{text-align:right;font-variant-numeric:tabular-nums}
.bill tr:last-child>*{border-bottom:0}
.answers>div{padding:.75rem 0;border-top:1px solid var(--line)}
.answers>div:first-child{border-top:0}
.answers dd{margin:.25rem 0 0 1.25rem;font-size:.9375rem}
.answers dd .soft{font-size:.875rem}
.answers .about{display:inline;color:var(--ink)}
.answers .about::after{content:':'}
.seen{font-weight:600;background:var(--info-ground);color:var(--info);padding:.1em .4em;border-radius:.25em}
.things{columns:16rem;font-size:.875rem;line-height:1.7;padding-top:.375rem}
.group{margin-top:1.75rem}
.group>h3{margin-bottom:.5rem}
.scenario{background:var(--card);border:1px solid var(--line);border-radius:.5rem;margin-top:.375rem}
.scenario>summary{padding:.5rem 1rem;display:grid;grid-template-columns:8.5rem minmax(0,1fr) auto;gap:0 .75rem;align-items:baseline;list-style:none}
.scenario>summary::-webkit-details-marker,.exchange>summary::-webkit-details-marker{display:none}
.scenario>summary>.mark{justify-self:start}
.scenario>summary:hover,.exchange>summary:hover{background:var(--sunk)}
.name code,h3 code.soft{color:var(--soft);font-size:.8125rem;display:inline-block;max-width:100%}
.wire>p{font-size:.875rem}
.inside{padding:.5rem 1rem 1rem;border-top:1px solid var(--line)}
.inside h4{margin:1.25rem 0 .5rem}
.steps td,.steps th{font-size:.875rem}
.steps th[scope=row]{font-weight:500;width:11rem}
.steps td:nth-child(2){width:6.5rem}
.steps td:nth-child(3){width:8.5rem}
.exchange{border-top:1px solid var(--line)}
.exchange>summary{padding:.375rem .5rem;display:flex;gap:.75rem;align-items:baseline;font-size:.9375rem;list-style:none}
.exchange>summary::before,.scenario>summary .name::before{content:'▸';color:var(--soft);margin-right:.5rem;display:inline-block;font-size:.8em}
.exchange[open]>summary::before,.scenario[open]>summary .name::before{content:'▾'}
.xid{color:var(--soft);flex:none;min-width:4.5rem}
.call{flex:1;min-width:0}
.status{font-weight:600}
.wire{padding:.25rem .5rem 1rem 1.75rem}
footer{color:var(--soft);font-size:.875rem;margin-top:4rem}
@media (max-width:44rem){.sheet{padding:1rem 0 3rem}nav,.facts,.part>h2,.part>.about,.part>p,.part>.gap,.part>.more,.group>h3,.filters,footer{margin-left:1rem;margin-right:1rem}
.facts{padding:1.25rem 0 0;gap:.75rem 1rem;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}
h1{font-size:1.75rem}.verdict,.violation,.areas,.part>.checks,.part>.bill,.answers{border-radius:0;border-left:0;border-right:0;padding-left:1rem;padding-right:1rem}
.verdict{padding-top:1.25rem}
.failure dl>div{grid-template-columns:minmax(0,1fr)}
.failure .cause dd{margin-left:0}
.checks li{grid-template-columns:minmax(0,1fr);gap:.25rem}
.area,.area tbody,.area tr,.area caption{display:block}
.area tr{display:flex;flex-wrap:wrap;gap:.125rem .625rem;align-items:baseline;padding:.75rem 0;border-bottom:1px solid var(--line)}
.area tr:last-child{border-bottom:0}
.area th[scope=row],.area td{border:0;padding:0;width:auto}
.area td.state{width:auto;margin-left:auto}
.area .text{order:9;flex:1 0 100%;min-width:0}
.scenario{border-radius:0;border-left:0;border-right:0}
.scenario>summary{grid-template-columns:minmax(0,1fr) auto}
.scenario>summary .name{grid-column:1/-1;order:9}
.steps,.steps tbody,.steps tr,.steps th,.steps td{display:block;width:auto}
.steps thead{position:absolute;left:-100vw}
.steps th[scope=row],.steps td,.steps td:nth-child(n){border:0;padding:0;width:auto;white-space:normal}
.steps tr{padding:.625rem 0;border-bottom:1px solid var(--line)}
.exchange>summary{flex-wrap:wrap;gap:0 .625rem}.call{flex:1 0 100%;order:9}
.wire{padding-left:.5rem}}
@media print{.sheet{display:block;max-width:none;padding:0}nav,.skip,.filters,#scenarios .exchange,#scenarios h4{display:none}
body{font-size:10pt}.part{margin-top:2rem}.verdict,.violation,.areas,.answers{padding-left:1rem;padding-right:1rem}
.failure,.gap,tr,.checks li,.answers>div{break-inside:avoid}h2,h3,h4,caption{break-after:avoid}a{text-decoration:none}}
`.replace('FILTER_RULES', filterRules())

/** One rule for each choice: rows of another kind are hidden, and areas in which none is left. */
function filterRules(): string {
  return FILTERS.map(
    (name) =>
      `#requirements:has(#f-${name}:checked) .row:not(.is-${name}),#requirements:has(#f-${name}:checked) .area:not(:has(.is-${name})){display:none}`,
  ).join('\n')
}

export const STYLE_HASH = `sha256-${createHash('sha256').update(STYLE).digest('base64')}`
