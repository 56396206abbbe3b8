/**
 * How often a property test tries, of `whole` times. `npm run check -- --changed` sets TROUPE_QUICK_TESTS for a tenth of
 * it, and `npm test` tries all.
 */
export const triesOf = (whole: number): number =>
  process.env['TROUPE_QUICK_TESTS'] === undefined ? whole : Math.ceil(whole / 10)
