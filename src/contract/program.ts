/** How this program is called in text that may be pasted in any folder: reports, files, pages, answers over HTTP. */
export const PROGRAM = 'npx partner-sandbox'
