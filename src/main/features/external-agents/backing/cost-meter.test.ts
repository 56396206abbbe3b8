/** What each message cost, from what a program reports for the whole session. */
import { expect, test } from 'vitest'
import { CostMeter } from './cost-meter.ts'

function costs(before: number, ...reports: readonly (number | null)[]): readonly (number | null)[] {
  const meter = new CostMeter(before)
  return reports.map((report) => {
    if (report !== null) meter.take(report)
    return meter.next()
  })
}

test.each([
  ['nothing is reported', 0, [null, null], [null, null]],
  ['each report has the whole session', 0, [1, 1, 3], [1, 0, 2]],
  ['a lower report changes nothing', 0, [2, 1, 3], [2, 0, 1]],
  ['a continued session counts on', 2, [3, 4], [1, 1]],
  ['a continued session counts from 0', 2, [1, 4], [1, 3]],
  ['a wrong report is passed over', 0, [-1, Number.NaN, 1], [null, null, 1]],
])('%s', (_, before, reports, expected) => {
  expect(costs(before, ...reports)).toEqual(expected)
})
