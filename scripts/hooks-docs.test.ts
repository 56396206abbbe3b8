import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hookEventFacts } from '../src/shared/hooks/hooks.ts'

test('the page about hooks has the events of the table, in its order', () => {
  const page = readFileSync(new URL('../docs/using/hooks.md', import.meta.url), 'utf8')
  const rows = page
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter(([, event = '']) => /^`[A-Z]\w+`$/.test(event))
    .map(([, event, matcher, blocks]) => ({ event, matcher, blocks }))
  expect(rows).toEqual(
    Object.entries(hookEventFacts).map(([event, { matcher, blocks }]) => ({
      event: `\`${event}\``,
      matcher,
      blocks,
    })),
  )
})
