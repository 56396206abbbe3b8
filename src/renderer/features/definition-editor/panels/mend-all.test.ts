import { expect, test } from 'vitest'
import { definitionProblems } from '../source/definition-problems.ts'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { mendAll } from './mend-all.ts'

const surroundings = sampleSurroundings()

test('every mend is taken, one after the other; what may only be missing now is left', () => {
  const text =
    '---\r\nname: x\r\ndescription: Use it when: a test fails\r\ntools: Raed, Gerp, mcp__semgrep__scan\r\nskills: nowhere\r\n---\r\nBody.'
  const mended = mendAll(text, surroundings)
  expect(mended).toBe(
    '---\r\nname: x\r\ndescription: "Use it when: a test fails"\r\ntools: Read, Grep, mcp__semgrep__scan\r\nskills: nowhere\r\n---\r\nBody.',
  )
  expect(definitionProblems(mended, surroundings).map(({ code }) => code)).toEqual([
    'unknown-server',
    'missing-skill',
  ])
})

test('a text with nothing to mend stays as it is', () => {
  const text = '---\nname: x\ndescription: y\npermissionMode: yolo\n---\n'
  expect(mendAll(text, surroundings)).toBe(text)
})
