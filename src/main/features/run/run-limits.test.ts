import { expect, test } from 'vitest'
import { parseLine } from '../../testing/parse-line.ts'
import type { RunOptions } from './begin-run.ts'
import { stoppedText } from './run-outcome.ts'

const read = (flags: Record<string, string>) => {
  const given = Object.entries(flags).map(([name, value]) => `--${name}=${value}`)
  const parsed = parseLine<RunOptions>(['run', 'x', ...given])
  return parsed.ok ? { ok: true, value: parsed.value.limits } : parsed
}

test('only the given limits apply', () => {
  expect(read({})).toEqual({ ok: true, value: {} })
  expect(read({ 'max-usd': '$2.50' })).toEqual({ ok: true, value: { usd: 2.5 } })
  expect(read({ 'max-tokens': '1,000,000', 'max-minutes': '0.5' })).toEqual({
    ok: true,
    value: { tokens: 1_000_000, ms: 30_000 },
  })
})

test('an invalid amount is refused with valid examples', () => {
  const wrong = [
    { 'max-tokens': '0' },
    { 'max-tokens': '1.5' },
    { 'max-usd': 'ten' },
    { 'max-usd': '1,5' },
    { 'max-minutes': '' },
  ]
  for (const flags of wrong)
    expect(read(flags), JSON.stringify(flags)).toMatchObject({ ok: false, failure: { type: 'usage' } })
})

test('the message names the limit, its owner, and the flag that raises it', () => {
  expect(stoppedText({ limit: 'money', of: 'conversation', most: 2 }, 'a-1')).toBe(
    'Stopped at the conversation\'s limit of $2. To resume with a higher limit: troupe run "…" --resume a-1 --max-usd N',
  )
  expect(stoppedText({ limit: 'tokens', of: 'agent', most: null }, 'a-1')).toBe(
    'Stopped at a limit of tokens. To resume with a higher limit: troupe run "…" --resume a-1',
  )
})
