import { describe, expect, test } from 'vitest'
import type { CaseAttempt } from './agent-tests.ts'
import { createGrid } from './grid.ts'
import {
  DRAFT,
  IN_USE,
  sampleAttempt,
  sampleAttempts,
  sampleCase,
  sampleVersion,
} from './testing/sample-results.ts'

const CHARGE = sampleCase('double-charge')
const CLEAN = sampleCase('clean-code')
const HAIKU = {
  ...sampleVersion('Draft, haiku', DRAFT.ref.base),
  ref: { ...DRAFT.ref, model: 'claude-haiku-4-5' },
}

describe('a grid', () => {
  test('has a row for each case and a cell for each version', () => {
    const grid = createGrid({
      cases: [CHARGE, CLEAN],
      versions: [IN_USE, DRAFT],
      attempts: [
        ...sampleAttempts(CHARGE, IN_USE, 'pppppp'),
        ...sampleAttempts(CHARGE, DRAFT, 'pppppf'),
        ...sampleAttempts(CLEAN, IN_USE, 'pppppp'),
        ...sampleAttempts(CLEAN, DRAFT, 'fffffp'),
      ],
    })
    expect(
      grid.rows.map(({ cells }) =>
        cells.map(({ passed, counted, judgment }) => `${passed} of ${counted} ${judgment}`),
      ),
    ).toEqual([
      ['6 of 6 null', '5 of 6 null'],
      ['6 of 6 null', '1 of 6 worse'],
    ])
    expect(grid.inUse).toBe(IN_USE)
    expect(grid.totals).toMatchObject([
      { passed: 12, counted: 12, better: 0, worse: 0, chance: null, judgment: null },
      { passed: 6, counted: 12, better: 0, worse: 1, judgment: 'worse' },
    ])
    expect(grid.rows[1]?.cells[1]?.chance).toBeCloseTo(0.0152, 4)
    expect(grid.rows[0]?.cells[0]?.chance).toBeNull()
    expect(grid.rows[0]?.cells[0]?.interval.low).toBeCloseTo(0.6097, 4)
  })

  test('compares no attempts at an earlier text of the case, or with earlier files', () => {
    const edited = { ...CHARGE, digest: 'edited' }
    const made = (version: typeof IN_USE, states: string, content: { case: string; files: string }) =>
      sampleAttempts(edited, version, states).map((attempt) => ({ ...attempt, content }))
    const shown = (attempts: readonly CaseAttempt[]) =>
      createGrid({ cases: [edited], versions: [IN_USE, DRAFT], attempts }).rows[0]?.cells.map(
        ({ passed, counted, judgment }) => `${passed} of ${counted} ${judgment}`,
      )
    const drafted = made(DRAFT, 'ffffff', { case: 'edited', files: 'new' }).map((attempt) => ({
      ...attempt,
      at: attempt.at + 1000,
    }))
    expect(shown([...made(IN_USE, 'pppppp', { case: 'before', files: 'new' }), ...drafted])).toEqual([
      '0 of 0 null',
      '0 of 6 null',
    ])
    expect(shown([...made(IN_USE, 'pppppp', { case: 'edited', files: 'old' }), ...drafted])).toEqual([
      '0 of 0 null',
      '0 of 6 null',
    ])
    expect(shown([...made(IN_USE, 'pppppp', { case: 'edited', files: 'new' }), ...drafted])).toEqual([
      '6 of 6 null',
      '0 of 6 worse',
    ])
  })

  test('counts what passed and failed only', () => {
    const [cell] = cellsOf([...sampleAttempts(CHARGE, IN_USE, 'ppfbswr')])
    expect(cell).toMatchObject({ passed: 2, counted: 3 })
    expect(cell?.attempts.map(({ state }) => state)).toHaveLength(7)
  })

  test('has the medians of the attempts that count, without unknown costs', () => {
    const attempts = [
      sampleAttempt(CHARGE, IN_USE, { number: 1, usd: 0.02, ms: 1000, tokens: 10 }),
      sampleAttempt(CHARGE, IN_USE, { number: 2, usd: null, ms: 3000, tokens: 30, state: 'failed' }),
      sampleAttempt(CHARGE, IN_USE, { number: 3, usd: 0.04, ms: 2000, tokens: 20 }),
      sampleAttempt(CHARGE, IN_USE, { number: 4, usd: 9, ms: 9000, tokens: 90, state: 'broken' }),
    ]
    expect(cellsOf(attempts)[0]).toMatchObject({ usd: 0.03, ms: 2000, tokens: 20 })
  })

  test('says that nothing is known where nothing ran', () => {
    expect(cellsOf([])).toMatchObject([
      { passed: 0, counted: 0, interval: { low: 0, high: 1 }, usd: null, ms: null, tokens: null },
      { judgment: null, chance: null },
    ])
  })

  test('leaves out attempts at an earlier text of the case', () => {
    const old = sampleAttempts(CHARGE, IN_USE, 'ffffff').map((attempt) => ({
      ...attempt,
      id: `old ${attempt.id}`,
      key: 'old',
      at: attempt.at - 900,
    }))
    expect(cellsOf([...old, ...sampleAttempts(CHARGE, IN_USE, 'wp')])[0]).toMatchObject({
      passed: 1,
      counted: 1,
    })
  })

  test('lists attempts by their numbers', () => {
    const shuffled = sampleAttempts(CHARGE, IN_USE, 'ppff').reverse()
    expect(cellsOf(shuffled)[0]?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  })

  test('compares with the definition in use as it is only', () => {
    const attempts = [...sampleAttempts(CHARGE, DRAFT, 'pppppp'), ...sampleAttempts(CHARGE, HAIKU, 'ffffff')]
    const grid = createGrid({ cases: [CHARGE], versions: [DRAFT, HAIKU], attempts })
    expect(grid.inUse).toBeNull()
    expect(grid.rows[0]?.cells.map(({ judgment, chance }) => [judgment, chance])).toEqual([
      [null, null],
      [null, null],
    ])
    const inUseHaiku = { ...IN_USE, id: 'other', ref: { ...IN_USE.ref, model: 'claude-haiku-4-5' } }
    expect(createGrid({ cases: [CHARGE], versions: [inUseHaiku, DRAFT], attempts }).inUse).toBeNull()
  })

  test('finds in all cases together what one alone cannot show', () => {
    const cases = [CHARGE, CLEAN, sampleCase('sql'), sampleCase('token')]
    const attempts = cases.flatMap((row) => [
      ...sampleAttempts(row, IN_USE, 'pppfff'),
      ...sampleAttempts(row, DRAFT, 'pppppp'),
    ])
    const grid = createGrid({ cases, versions: [IN_USE, DRAFT], attempts })
    expect(grid.rows.map(({ cells }) => cells[1]?.judgment)).toEqual([null, null, null, null])
    expect(grid.totals[1]).toMatchObject({ better: 0, worse: 0, judgment: 'better' })
  })
})

const cellsOf = (attempts: Parameters<typeof createGrid>[0]['attempts']) =>
  createGrid({ cases: [CHARGE], versions: [IN_USE, DRAFT], attempts }).rows[0]?.cells ?? []
