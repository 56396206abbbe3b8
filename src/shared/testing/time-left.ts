/**
 * Leaves tests out on a machine that is too slow for all of them: decision 175. The first test of each file runs unless
 * the time is over. A later one runs while the run keeps up: as much of the time may be used as of the files, after some
 * minutes in which it always does.
 */

/** ms since the epoch, with a space between: when the run began, and when it has to be over. */
const TIMES = 'TROUPE_TEST_TIMES'
/** ms before the end in which no test begins: those under way end, and the report is written. */
const LAST = 120_000
/** ms before that for the first tests of files alone. */
const FIRSTS = 60_000
/** ms by which a run may be behind its files: some take a minute alone. */
const BEHIND = 120_000

/** @param share of the files that the run is through with after this one, 0 to 1 */
export function keepsUp(share: number, now = Date.now()): boolean {
  const { begin, end } = times()
  if (end === Infinity) return true
  return now - begin - BEHIND <= (end - begin - BEHIND - FIRSTS - LAST) * share
}

/** Whether no test may begin any more. */
export const isOver = (now = Date.now()): boolean => now > times().end - LAST

function times(): { readonly begin: number; readonly end: number } {
  const [begin = 0, end = Infinity] = (process.env[TIMES] || '0').split(' ').map(Number)
  return { begin, end }
}

/** The share of the files that are done after this one, if they are taken in this order. */
export const shareOf = (file: string, files: readonly string[]): number =>
  (files.indexOf(file) + 1) / files.length
