import { classOf, FILTERS } from './parts.tsx'

/**
 * The one style sheet. It holds no `<`, `&` or double quote; its hash is what the page's policy allows. Every text color keeps a
 * contrast of at least 4.5 to 1 on its ground, in light and dark, and no color says anything that a word next to it does not say.
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
html{scroll-padding-top:4rem}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
overflow-wrap:anywhere;-webkit-text-size-adjust:100%;-webkit-print-color-adjust:exact;print-color-adjust:exact}
code,pre,.canonical{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
code{font-size:.875em}
h1,h2,h3,h4,p,dl,dd,ul,ol,fieldset{margin:0;padding:0}
ul{list-style:none}
small{display:block;color:var(--soft);font-size:.875rem}
b,h1,h2,h3,h4,.mark,.status,caption{font-weight:650}
b,.status,.ids,.facts,td{font-variant-numeric:tabular-nums}
a{color:var(--accent);text-underline-offset:.18em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.2rem}
:target{outline:2px solid var(--accent);outline-offset:3px;border-radius:.375rem}
section.part:target,.group:target{outline:none}
.skip{position:absolute;left:-100vw}
.skip:focus{left:1rem;top:1rem;background:var(--card);padding:.5rem 1rem;z-index:2}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.soft{color:var(--soft);font-weight:400;font-size:.9375rem}
td .soft,li .soft,.card .soft,.failing .soft{font-size:.875rem}

/* Frame */
.sheet{max-width:80rem;margin:0 auto;padding:2rem 1.5rem 4rem}
nav{margin:0 0 1.5rem;font-size:.875rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
nav a{display:block;padding:.25rem 0;color:var(--soft);text-decoration:none}
nav a:hover,nav [aria-current]{color:var(--ink)}
nav a:hover{text-decoration:underline}
@media (min-width:72rem){.sheet{display:grid;grid-template-columns:11.5rem minmax(0,1fr);gap:2.5rem}
nav{position:sticky;top:2rem;align-self:start;margin:0}
nav ul{display:block;border-left:1px solid var(--line)}
nav a{padding:.3rem 0 .3rem 1rem;margin-left:-1px;border-left:1px solid transparent}
nav [aria-current]{border-color:var(--ink);font-weight:650}}
.part{margin-top:3rem}
h2{font-size:1.5rem;line-height:1.25;letter-spacing:-.012em}
h3{font-size:1.0625rem;line-height:1.4}
h4{font-size:.8125rem;line-height:1.55;color:var(--soft);margin:1rem 0 .25rem}
.about{color:var(--soft);margin:.25rem 0 1.25rem;max-width:46rem}
footer{color:var(--soft);font-size:.875rem;margin-top:4rem}

/* Verdict */
.verdict,.card,.failing,.answers,.areas,.budget{background:var(--card);border:1px solid var(--line);border-radius:.75rem}
.verdict{border-top:6px solid var(--edge);padding:1.75rem 2rem 1.5rem}
.verdict.good{border-top-color:var(--good-fill)}.verdict.bad{border-top-color:var(--bad-fill)}.verdict.doubt{border-top-color:var(--doubt-fill)}
.verdict .soft code{color:var(--ink)}
h1{font-size:2.25rem;line-height:1.15;letter-spacing:-.02em;margin:.75rem 0 .375rem}
.good h1{color:var(--good)}.bad h1{color:var(--bad)}.doubt h1{color:var(--doubt)}
.says{font-size:1.125rem;max-width:44rem}
.bar{display:block;width:100%;height:.375rem;border-radius:.25rem;margin:.375rem 0}
.verdict>.bar{height:.875rem;margin:1.5rem 0 .75rem}
:is(rect,.swatch){fill:var(--of);background:var(--of)}
.failed{--of:var(--bad-fill)}.known-failure{--of:var(--info-fill)}.inconclusive{--of:var(--doubt-fill)}.not-run{--of:var(--quiet-fill)}.passed{--of:var(--good-fill)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;font-size:.9375rem}
.swatch{display:inline-block;width:.75em;height:.75em;border-radius:.15em;margin-right:.35em}
.next{margin-top:1.5rem;padding-top:1.25rem;border-top:1px solid var(--line);max-width:46rem}
.next h2{font-size:1rem;letter-spacing:0}
.next ol{padding-left:1.25rem}
.next li{margin-top:.25rem}
.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(11.25rem,1fr));gap:1rem 1.5rem;padding:1.5rem 2rem 0;font-size:.9375rem}
.facts .wide{grid-column:1/-1}
.facts .wide dd{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
.facts dt,.failure dt{color:var(--soft);font-size:.8125rem}
.mark{display:inline-block;padding:.05em .55em;border-radius:1em;font-size:.8125rem;line-height:1.5;background:var(--quiet-ground);color:var(--soft)}
.mark.good{background:var(--good-ground);color:var(--good)}.mark.bad{background:var(--bad-ground);color:var(--bad)}
.mark.doubt{background:var(--doubt-ground);color:var(--doubt)}.mark.info{background:var(--info-ground);color:var(--info)}

/* Areas */
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr));gap:.75rem}
.tiles li{padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;font-size:.9375rem}
.tiles p:first-child{display:flex;justify-content:space-between;gap:.75rem}
.tiles b{flex:none}
.tiles p:first-child a{color:inherit;text-decoration:none}
.tiles p:first-child a:hover{text-decoration:underline}
.tiles .soft,.tiles .ids{font-size:.8125rem;line-height:1.6}
.ids a{display:inline-block;margin-right:.5rem;max-width:100%}

/* Filter and search */
.controls{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;padding:.625rem 0;background:var(--ground)}
.filters{border:0;display:flex;flex-wrap:wrap;gap:.375rem;min-width:0}
.filters input{position:absolute;opacity:0}
.filters label{display:block;padding:.25rem .75rem;border:1px solid var(--edge);border-radius:1rem;font-size:.875rem;cursor:pointer}
.filters :checked+label{background:var(--ink);color:var(--ground);border-color:var(--ink)}
.filters :focus-visible+label{outline:3px solid var(--accent);outline-offset:2px}
.search{display:flex;gap:.5rem;align-items:center;font-size:.875rem}
.search input{font:inherit;color:inherit;background:var(--card);border:1px solid var(--edge);border-radius:.375rem;padding:.25rem .625rem;width:14rem;max-width:100%}
output{color:var(--soft);font-size:.875rem}
[hidden],[data-empty]{display:none!important}
FILTER_RULES

/* Cards */
summary{cursor:pointer;border-radius:.25rem;list-style:none}
summary::-webkit-details-marker{display:none}
summary h3{display:inline}
.group>summary::before,.more>summary::before,.gap>summary::before,.exchange>summary::before,.card>summary .name::before,.failing>summary .name::before{content:'▸';display:inline-block;width:1em;color:var(--soft);font-size:.8em}
.group[open]>summary::before,.more[open]>summary::before,.gap[open]>summary::before,.exchange[open]>summary::before,.card[open]>summary .name::before,.failing[open]>summary .name::before{content:'▾'}
.group>summary{padding:.5rem 0;margin-top:.5rem}
:is(.card,.failing){margin-top:.375rem}
:is(.card,.failing)>summary{padding:.5rem 1rem;display:grid;grid-template-columns:7.5rem minmax(0,1fr) auto;gap:0 .75rem;align-items:baseline}
:is(.card,.failing)>summary>.mark{justify-self:start}
:is(.card,.failing)>summary:hover,.exchange>summary:hover{background:var(--sunk)}
.card[open].is-failed>summary .name{font-weight:650}
.name code{color:var(--soft);font-size:.8125rem;font-weight:400}
.inside{padding:0 1.25rem 1rem;border-top:1px solid var(--line)}
.inside>p{padding-top:.625rem}
.failure{padding-top:1rem}
.failure+.failure{border-top:1px solid var(--line);margin-top:1rem}
.failure dl{margin-top:.625rem;display:grid;gap:.5rem}
.failure dl>div{display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:0 1rem;align-items:baseline}
.failure dd{min-width:0;white-space:pre-line}
.failure .actual dd{color:var(--bad);font-weight:600}
.failure .hint dd{background:var(--doubt-ground);border-radius:.375rem;padding:.375rem .75rem;margin-left:-.75rem}
pre,.canonical,.copyable{margin:0;padding:.625rem .75rem;background:var(--sunk);border-radius:.375rem;font-size:.8125rem;line-height:1.55}
pre{white-space:pre-wrap;overflow-wrap:anywhere;max-height:24rem;overflow:auto}
p+pre{margin-top:.375rem}
pre{background:linear-gradient(var(--sunk) 33%,transparent),linear-gradient(transparent,var(--sunk) 67%) 0 100%,linear-gradient(var(--edge),transparent),linear-gradient(transparent,var(--edge)) 0 100%,var(--sunk);background-repeat:no-repeat;background-size:100% 2.5rem,100% 2.5rem,100% .5rem,100% .5rem,auto;background-attachment:local,local,scroll,scroll,scroll}
pre mark{background:var(--doubt-ground);color:inherit}
pre i,.canonical i{font-style:normal;color:var(--soft)}
.canonical{padding-left:2.75rem;white-space:normal;margin-top:.375rem}
.canonical code,.copyable code{font-size:1em}
.canonical .differs{background:var(--bad-ground);box-shadow:-2.25rem 0 0 var(--bad-ground);color:var(--bad);padding:.125rem 0}
.canonical em{display:block;font:.8125rem/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
.copyable{display:flex;gap:.75rem;align-items:flex-start;justify-content:space-between}
.copyable code{white-space:pre-wrap;min-width:0;-webkit-user-select:all;user-select:all}
.copyable+.copyable,.soft+.copyable{margin-top:.375rem}
.copyable.short{display:inline-flex;padding:.0625rem .375rem;align-items:center;gap:.5rem}
.copyable button{flex:none;font:600 .75rem/1.5 system-ui,sans-serif;color:var(--accent);background:none;border:1px solid var(--edge);border-radius:.25rem;padding:0 .5rem;cursor:pointer}
.more{margin-top:.5rem}
.more>summary{color:var(--soft);font-size:.875rem;display:inline-block;padding:.125rem 0}
dd>.more:first-child{margin-top:0}
.exchange{border-top:1px solid var(--line)}
.exchange>summary{padding:.375rem .25rem;display:flex;gap:.5rem;align-items:baseline;font-size:.9375rem}
.xid{color:var(--soft);flex:none;min-width:4rem}
.call{flex:1;min-width:0}
.wire{padding:.25rem .25rem 1rem 1.25rem}
.wire>p{font-size:.875rem}

/* What was not tested */
.gap{border-left:3px solid var(--quiet-fill);padding:0 0 0 1.25rem;margin-top:1.5rem;max-width:56rem}
.gap>*+*{margin-top:.375rem}
.plain{color:var(--soft);font-size:.9375rem}
.plain li{padding-left:1rem;text-indent:-1rem}
.plain li::before{content:'–';display:inline-block;width:1rem;text-indent:0}

/* Tables */
table{border-collapse:collapse;width:100%;font-size:.9375rem}
th,td{text-align:left;vertical-align:baseline;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--soft);font-size:.8125rem}
.areas{padding:.25rem 2rem 1rem}
.area+.area{margin-top:1.75rem}
caption{text-align:left;font-size:1.0625rem;padding:1rem 0 .25rem}
.area thead{position:absolute;left:-100vw}
.area th[scope=row]{width:6.5rem;font-weight:650}
.area .level{width:4rem;color:var(--soft)}.area .state{width:8rem;text-align:right;padding-right:0}
.area tr:last-child>*,.budget tr:last-child>*{border-bottom:0}
.checks li{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:0 .75rem;padding:.25rem 0;font-size:.875rem}
.checks li>.mark{justify-self:start;align-self:start}
.steps{font-size:.875rem}
.steps th[scope=row]{width:11rem}
.steps td:nth-child(2){width:6.5rem}
.steps td:nth-child(3){width:7.5rem}
.budget{max-width:40rem;border-collapse:separate;border-spacing:0;margin-bottom:.75rem}
.budget th:first-child{padding-left:1.25rem}
.budget td,.budget thead th+th{text-align:right;padding-right:1.25rem}
.answers{padding:.25rem 2rem}
.answers>div{padding:.75rem 0}
.answers>div+div{border-top:1px solid var(--line)}
.answers dd{margin:.25rem 0 0 1.25rem;font-size:.9375rem}
.seen{font-weight:600;background:var(--info-ground);color:var(--info);padding:.1em .4em;border-radius:.25em}
.things{columns:16rem;font-size:.875rem;line-height:1.7;padding-top:.375rem}
@media (max-width:44rem){.sheet{padding:1rem 0 3rem}
nav,.part>h2,.part>.about,.part>p,.part>.gap,.part>.more,.part>.tiles,.group>summary,.controls,footer{margin-left:1rem;margin-right:1rem}
.facts{padding:1.25rem 1rem 0;gap:.75rem 1rem;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}
h1{font-size:1.75rem}
.verdict,.card,.failing,.areas,.budget,.answers{border-radius:0;border-left:0;border-right:0;padding-left:1rem;padding-right:1rem}
.verdict{padding-top:1.25rem}
.card,.failing,.budget{padding:0}.inside{padding:0 1rem 1rem}
.tiles{grid-template-columns:repeat(2,minmax(0,1fr));gap:.5rem}
.tiles li{padding:.625rem .75rem}
.controls{position:static}html{scroll-padding-top:1rem}
.failure dl>div,.checks li{grid-template-columns:minmax(0,1fr);gap:.125rem}
.failure .hint dd{margin-left:0}
.copyable{flex-direction:column;gap:.375rem}.copyable.short{flex-direction:row}
:is(.card,.failing)>summary{grid-template-columns:minmax(0,1fr) auto}
:is(.card,.failing)>summary .name{grid-column:1/-1;order:9}
.area,.area tbody,.area tr,.area caption,.steps,.steps tbody,.steps tr{display:block}
.area tr{display:flex;flex-wrap:wrap;gap:.125rem .625rem;align-items:baseline}
.area tr,.steps tr{padding:.625rem 0;border-bottom:1px solid var(--line)}
.area th[scope=row],.area td,.area .state,.steps th[scope=row],.steps td,.steps td:nth-child(n){display:block;border:0;padding:0;width:auto}
.area td.state{margin-left:auto}
.area .text{order:9;flex:1 0 100%;min-width:0}
.steps thead{position:absolute;left:-100vw}
.exchange>summary{flex-wrap:wrap}.call{flex:1 0 100%;order:9}
.wire{padding-left:.5rem}}
@media print{.sheet{display:block;max-width:none;padding:0}nav,.skip,.controls,.exchange,button{display:none}
body{font-size:10pt}.part{margin-top:2rem}pre{max-height:none}
.tiles li,.gap,tr,.answers>div{break-inside:avoid}h2,h3,h4,caption{break-after:avoid}a{text-decoration:none}}
`.replace('FILTER_RULES', filterRules())

/** One rule for each choice: what is of another kind is hidden, and groups and tables in which nothing is left. */
function filterRules(): string {
  const rules = FILTERS.map(classOf).map((kind) => {
    const chosen = `main:has(#f-${kind}:checked)`
    return `${chosen} .item:not(.is-${kind}),${chosen} :is(.group,.area):not(:has(.is-${kind})){display:none}`
  })
  return rules.join('\n')
}
