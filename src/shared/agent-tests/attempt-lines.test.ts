import { expect, test } from 'vitest'
import { resultsCsv } from './attempt-lines.ts'
import { DRAFT, IN_USE, sampleAttempt, sampleCase } from './testing/sample-results.ts'

const CHARGE = sampleCase('double charge, "fast"')
const CLEAN = sampleCase('=1+1')

test('has a line for each attempt, by case, version and number', () => {
  const csv = resultsCsv({
    cases: [CHARGE, CLEAN],
    versions: [IN_USE, DRAFT],
    attempts: [
      sampleAttempt(CLEAN, IN_USE, { number: 1, usd: null }),
      sampleAttempt(CHARGE, DRAFT, {
        number: 2,
        state: 'failed',
        usd: 0.1 + 0.2,
        checks: [
          { check: { type: 'files-unchanged', paths: ['**'] }, passed: false, found: 'changed: a.ts' },
        ],
      }),
      sampleAttempt(CHARGE, DRAFT, { number: 1, state: 'broken', because: 'The commit is gone.' }),
      sampleAttempt(sampleCase('deleted'), IN_USE, { number: 1 }),
    ],
  })
  const [titles, ...lines] = csv.split('\r\n').map((line) => line.split(',1970')[0])
  expect(titles).toBe(
    'case,case_file,version,model,attempt,state,failed_checks,because,usd,seconds,tokens,turns,at,run_id,version_id,key',
  )
  expect(lines).toEqual([
    '"double charge, ""fast""","reviewer/double charge, ""fast"".yaml",Draft,claude-sonnet-5-5,1,broken,,The commit is gone.,0.05,43,24000,3',
    '"double charge, ""fast""","reviewer/double charge, ""fast"".yaml",Draft,claude-sonnet-5-5,2,failed,changes no file,changes no file: changed: a.ts,0.3,43,24000,3',
    `'=1+1,reviewer/=1+1.yaml,In use,claude-sonnet-5-5,1,passed,,,,43,24000,3`,
    'reviewer/deleted.yaml,reviewer/deleted.yaml,In use,claude-sonnet-5-5,1,passed,,,0.05,43,24000,3',
    '',
  ])
})
