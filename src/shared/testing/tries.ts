/**
 * Whether tests that try many cases try some of them: with `npm run check -- --changed`, and with `npm test` on a slow
 * machine.
 */
export const isQuick = process.env['TROUPE_QUICK_TESTS'] !== undefined

/** How often a property test tries, of `whole` times: a tenth where it is quick. */
export const triesOf = (whole: number): number => (isQuick ? Math.ceil(whole / 10) : whole)
