/** The variable that tells test processes where to note which documented answers they have seen. */
export const SEEN_FOLDER = 'PARTNER_SANDBOX_TEST_SEEN'
