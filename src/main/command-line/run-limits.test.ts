import { expect, test } from 'vitest'
import { runLimits, stoppedWords } from './run-limits.ts'

const read = (flags: Record<string, string>) => runLimits({ text: (name) => flags[name] ?? null })

test('only what is given is limited', () => {
  expect(read({})).toEqual({ ok: true, value: {} })
  expect(read({ 'max-usd': '$2.50' })).toEqual({ ok: true, value: { usd: 2.5 } })
  expect(read({ 'max-tokens': '1,000,000', 'max-minutes': '0.5' })).toEqual({
    ok: true,
    value: { tokens: 1_000_000, ms: 30_000 },
  })
})

test('what is no amount is refused with what would be one', () => {
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

test('the words name the limit, whose it was, and the flag that raises it', () => {
  expect(stoppedWords({ limit: 'money', of: 'conversation', most: 2 }, 'a-1')).toBe(
    'Stopped at the conversation\'s limit of $2. To go on with a higher one: troupe run "…" --resume a-1 --max-usd N',
  )
  expect(stoppedWords({ limit: 'tokens', of: 'agent', most: null }, 'a-1')).toBe(
    'Stopped at a limit of tokens. To go on with a higher one: troupe run "…" --resume a-1',
  )
})
