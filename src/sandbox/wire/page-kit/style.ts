import { inlineHash } from '../../../page-kit/page-text.ts'

/**
 * The part of the style sheet for pages that buyers see. Pictures are drawn by borders and clipping, since the policy of a
 * page lets it load none; like all of the sheet it holds no `<`, `&` or double quote.
 */
const BUYER_STYLE = `
.brand{display:flex;align-items:center;justify-content:center;gap:.5rem;margin:1.25rem 1rem 0;font-size:.9375rem;font-weight:650}
.logo{position:relative;flex:none;width:1.5rem;height:1.5rem;border-radius:.375rem;background:#1f4fd1}
.logo::before{content:'';position:absolute;inset:.4375rem .375rem;border:2px solid #fff;border-radius:.125rem}
.logo::after{content:'';position:absolute;inset:0;background:#f4e3b4;
clip-path:polygon(28% 49%,44% 39%,59% 52%,72% 44%,72% 53%,59% 61%,44% 48%,28% 58%)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.lead{color:var(--soft)}
p time,.facts time{color:inherit;font-size:inherit}
.small{color:var(--soft);font-size:.8125rem}
@media (min-width:48rem){main.roomy{max-width:46rem;padding:2.25rem 2.5rem}}

/* What you buy on the left, who you are on the right */
.two-columns .who h2{margin-top:0}
.controls{max-width:32rem;margin:-1rem auto 2rem;padding:1rem 1.75rem 1.25rem;background:var(--sand);color:var(--on-sand);border-radius:.75rem}
.controls h2{font-size:1rem;margin:0 0 .125rem}
.controls p{font-size:.875rem;margin:0 0 .75rem}
.controls .buttons{display:flex;flex-wrap:wrap;gap:.625rem}
.controls button{flex:1 1 auto;width:auto;color:inherit;border-color:currentColor;font-weight:500}
@media (max-width:35rem){.controls{margin:0;padding:1rem;border-radius:0}}
@media (min-width:56.25rem){main.two-columns{max-width:62rem;padding:2.5rem;display:grid;grid-template:auto 1fr/minmax(0,5fr) minmax(0,6fr);column-gap:2rem}
.two-columns .what{grid-column:1;margin:0}
.two-columns h1{grid-column:1;font-size:1.75rem}
.two-columns .who{grid-column:2;grid-row:1/3;padding-left:2.5rem;border-left:1px solid var(--line)}
.two-columns+.controls{max-width:62rem;display:flex;align-items:center;justify-content:space-between;gap:2rem;padding:1rem 2.5rem}
.two-columns+.controls p{margin:0}
.two-columns+.controls .buttons{flex:none}}

/* How it ended */
.sign{display:block;position:relative;width:3.5rem;height:3.5rem;margin:.25rem auto 1rem;border:2px solid;border-radius:50%;color:var(--soft)}
.sign~h1,.sign~p{text-align:center}
.sign.done{color:var(--good);background:var(--good-ground)}
.sign::before,.sign::after{content:'';position:absolute;top:50%;left:50%;border:0 solid}
.sign.done::after{width:.8125rem;height:1.5rem;border-width:0 3px 3px 0;transform:translate(-50%,-58%) rotate(45deg)}
.sign.waiting::after{width:.75rem;height:1rem;border-width:0 0 3px 3px;transform:translate(-1px,-90%)}
.sign.stopped::before,.sign.stopped::after{width:1.5rem;border-width:3px 0 0;transform:translate(-50%,-50%) rotate(45deg)}
.sign.stopped::after{transform:translate(-50%,-50%) rotate(-45deg)}

/* How far it is */
.steps{list-style:none;margin:1.5rem 0 2rem;padding:0}
.steps li{position:relative;padding:0 0 1.25rem 2.25rem}
.steps li:last-child{padding-bottom:0}
.steps li::before{content:'';position:absolute;left:.6875rem;top:1.5rem;bottom:0;width:2px;background:var(--line)}
.steps li:last-child::before{display:none}
.steps li.done::before{background:var(--good)}
.steps strong,.steps time,.steps .small{display:block}
.steps .ahead strong,.steps .skipped strong{color:var(--soft);font-weight:500}
.dot{position:absolute;left:0;top:0;width:1.5rem;height:1.5rem;border:2px solid var(--edge);border-radius:50%;background:var(--card)}
.done .dot{border-color:var(--good);background:var(--good)}
.done .dot::after{content:'';position:absolute;left:50%;top:50%;width:.375rem;height:.6875rem;border:solid var(--card);border-width:0 2px 2px 0;
transform:translate(-50%,-60%) rotate(45deg)}
.current .dot{border-color:var(--accent)}
.current .dot::after{content:'';position:absolute;inset:.25rem;border-radius:50%;background:var(--accent)}
.skipped .dot{border-style:dashed}
@media (min-width:40rem){.steps{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(0,1fr)}
.steps li,.steps li:last-child{padding:2.25rem 1rem 0 0}
.steps li::before{left:1.5rem;right:0;top:.6875rem;bottom:auto;width:auto;height:2px}}
.notes{list-style:none;margin:0 0 1.5rem;padding:0}
.notes li{padding:.625rem 0;border-top:1px solid var(--line)}
.notes p{margin:0}

/* What is for sale */
.search{display:flex;gap:.625rem;align-items:flex-end;margin:0 0 1rem}
.search .field{flex:1 1 auto;margin:0;min-width:0}
.search button{flex:none;width:auto;padding-inline:1.5rem}
@media (max-width:35rem){.search{flex-direction:column;align-items:stretch}}
.examples a{display:inline-block;padding:.25rem 0;margin:0 .75rem 0 0}
.shelf{list-style:none;margin:0;padding:0;display:grid;gap:.75rem}
.offer{display:flex;align-items:center;gap:.5rem 1.25rem;padding:1rem 1.25rem;border:1px solid var(--line);border-radius:.625rem}
.offer>div{flex:1 1 auto;min-width:0}
.offer h2{margin:0;font-size:1.0625rem}
.offer .price{flex:none;margin:0;font-size:1.0625rem;font-variant-numeric:tabular-nums}
.offer button{position:relative;width:auto;padding-inline:1.25rem;color:var(--accent);border-color:var(--accent)}
@media (max-width:35rem){.offer{flex-wrap:wrap;padding:.875rem 1rem}.offer>div{flex-basis:100%}.offer .price{flex:1 1 auto}}
.topics{margin:.125rem 0 0;color:var(--soft);font-size:.875rem}
.topics span+span::before{content:' · '}
.alone{margin:0 0 1rem}
.alone .price{font-size:1.75rem;margin:.5rem 0 1rem}
`

/**
 * What the style sheets of all pages begin with. A sheet is inline and holds no `<`, `&` or double quote, which the renderer would
 * escape; its hash is what the policy of the page allows. Colors keep a contrast of at least 4.5 to 1 in light and dark.
 */
export const BASE_STYLE = `
:root{color-scheme:light dark;--ground:#f6f5f2;--card:#fffefc;--ink:#1d1f23;--soft:#595e66;--field:#fff;--line:#d9d6cf;--edge:#8b8f96;
--accent:#1f4fd1;--on-accent:#fff;--bad:#a6241c;--bad-ground:#fcefed;--good:#1a6238;--good-ground:#ecf6ef;--sand:#f4e3b4;--on-sand:#3f3006}
@media (prefers-color-scheme:dark){:root{--ground:#141518;--card:#1c1e22;--ink:#e9e8e4;--soft:#a8adb5;--field:#131417;--line:#33363c;--edge:#7d828b;
--accent:#9db7ff;--on-accent:#10182f;--bad:#ffb0a6;--bad-ground:#3a1f1c;--good:#9fdcb4;--good-ground:#16301f;--sand:#40340f;--on-sand:#f6e3ae}}
*,*::before,*::after{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;
overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
.banner{background:var(--sand);color:var(--on-sand);font-size:.9375rem;text-align:center;padding:.625rem 1rem}
.banner p{margin:0}
main{max-width:32rem;margin:1rem auto 2rem;padding:1.75rem;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
footer{max-width:32rem;margin:0 auto 2rem;padding:0 1rem;color:var(--soft);font-size:.875rem;text-align:center}
@media (max-width:35rem){main{margin:.75rem 0 0;border-width:1px 0;border-radius:0;padding:1.5rem 1rem}footer{margin-top:1rem}}
h1{font-size:1.5rem;line-height:1.25;letter-spacing:-.01em;margin:0 0 1rem}
h2{font-size:1.125rem;line-height:1.3;margin:2rem 0 .75rem}
p{margin:0 0 1rem}
main>:last-child{margin-bottom:0}
a{color:var(--accent);text-underline-offset:.15em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.facts{margin:0 0 1.5rem;border-top:1px solid var(--line)}
.facts div{display:flex;align-items:baseline;gap:1rem;justify-content:space-between;padding:.625rem 0;border-bottom:1px solid var(--line)}
.facts dt{color:var(--soft);flex:none}
.facts dd{margin:0;text-align:right;min-width:0;font-variant-numeric:tabular-nums}
.price{font-size:1.25rem;font-weight:650}
.notice{margin:0 0 1.5rem;padding:.75rem 1rem;border:1px solid var(--line);border-left:4px solid var(--edge);border-radius:.375rem}
.notice p:last-child{margin:0}
.notice.bad{background:var(--bad-ground);border-left-color:var(--bad)}
.notice.good{background:var(--good-ground);border-left-color:var(--good)}
.field{margin:0 0 1.125rem}
label{display:block;font-weight:600;margin:0 0 .25rem}
input,select{width:100%;min-height:2.75rem;padding:.5rem .75rem;font:inherit;color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:.375rem}
input:focus-visible,select:focus-visible{outline-offset:0;border-color:var(--accent)}
[aria-invalid=true]{border-color:var(--bad);border-width:2px}
.hint{color:var(--soft);font-size:.875rem;margin:.25rem 0 0}
.hint.centered{text-align:center;margin-top:1rem}
.fault{color:var(--bad);font-size:.875rem;font-weight:600;margin:.25rem 0 0}
.actions{display:flex;flex-direction:column;gap:.625rem;margin:1.5rem 0 0}
button,.button{display:block;width:100%;min-height:2.75rem;padding:.5rem 1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer;
color:var(--ink);background:transparent;border:1px solid var(--edge);border-radius:.375rem}
button.main,.button.main{color:var(--on-accent);background:var(--accent);border-color:var(--accent)}
time{color:var(--soft);font-size:.875rem;font-variant-numeric:tabular-nums}
code{font:.9375em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
`

/** For pages that are read on a wide screen. */
export const WIDE_STYLE = `.wide{margin:0 auto;padding:2rem 1.25rem 4rem}
.wide h1{margin:0 0 .25rem}
.wide .lead{color:var(--soft);margin:0 0 1.5rem}
.wide main{max-width:none;margin:0;padding:0;background:none;border:0;border-radius:0;min-width:0}
.wide footer{max-width:none;margin:0;padding:0;text-align:left}
`

/** The sheet of every page that partners and buyers meet. */
export const STYLE = BASE_STYLE + BUYER_STYLE

export const STYLE_HASH = inlineHash(STYLE)
