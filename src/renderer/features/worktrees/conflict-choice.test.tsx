import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { HighlightedLine } from '../../ui/code/code-tokens.ts'
import { ConflictChoiceField } from './conflict-choice.tsx'
import type { ResolutionChoice } from './conflict-resolution.ts'

afterEach(cleanup)

const line = (text: string, number: number) => ({ text, number, changed: true, partner: null })
const KEYWORD = 3
const colored = (text: string): HighlightedLine => [[text, KEYWORD]]

/** The parts of the result that have a color. */
function coloredIn(choice: ResolutionChoice): readonly (string | null)[] {
  cleanup()
  render(
    <ConflictChoiceField
      label="Conflict 1 in a.ts"
      sides={['main', 'helper']}
      choice={choice}
      versions={{ base: [line('let', 2)], ours: [line('const', 2)], theirs: [line('var', 3)] }}
      colors={{
        base: [undefined, colored('let')],
        ours: [undefined, colored('const')],
        theirs: [undefined, undefined, colored('var')],
      }}
      typed={null}
      start={2}
      onChoose={() => {}}
    />,
  )
  const result = screen.getByRole('region', { name: 'Result of conflict 1 in a.ts' })
  return [...result.querySelectorAll('[class*="keyword"]')].map(({ textContent }) => textContent)
}

test('lines of the result have the colors of the versions that they come from', () => {
  expect(coloredIn('ours')).toEqual(['const'])
  expect(coloredIn('base')).toEqual(['let'])
  expect(coloredIn('both')).toEqual(['const', 'var'])
  expect(coloredIn({ text: 'const', isTyped: true })).toEqual([])
})
