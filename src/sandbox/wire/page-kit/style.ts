import { inlineHash } from '../../../page-kit/page-text.ts'
import { BUYER_STYLE } from './buyer-style.ts'

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
