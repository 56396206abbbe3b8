import { describe, expect, test } from 'vitest'
import { draftFixRequest, draftIn, draftRequest } from './definition-messages.ts'

test('a description is at the end of its request, as it was given', () => {
  expect(draftRequest(' Reviews SQL.\n\nAll of it. ')).toMatch(/:\n\nReviews SQL\.\n\nAll of it\.$/)
})

test('problems are listed with their lines', () => {
  const diagnostic = { code: 'x', severity: 'error', line: 3, column: 1, from: 0, to: 0, fixes: [] } as const
  expect(draftFixRequest([{ ...diagnostic, message: 'This is text.' }])).toContain(
    '\n- line 3: This is text.\n',
  )
})

describe('the draft in an answer', () => {
  const file = '---\nname: a\ndescription: b\n---\n\nYou are.\n'

  test.each([
    ['in a fence', `Here:\n\n\`\`\`markdown\n${file}\`\`\`\nDone.`],
    ['with tildes', `~~~\n${file}~~~`],
    ['with CRLF', `\`\`\`\n${file}\`\`\``.replaceAll('\n', '\r\n')],
    ['bare', `\n${file}\n`],
    ['the last of two', `\`\`\`\n---\nname: first\n---\n\`\`\`\nBetter:\n\`\`\`md\n${file}\`\`\``],
    ['without its end', `Here:\n\`\`\`\n${file}`],
  ])('%s', (_, answer) => {
    expect(draftIn(answer)).toBe(file)
  })

  test('keeps fences inside the draft', () => {
    const whole = `${file}\nReport:\n\n\`\`\`\nok\n\`\`\`\n\nThat is all.\n`
    expect(draftIn(`\`\`\`\`markdown\n${whole}\`\`\`\``)).toBe(whole)
    expect(draftIn(`\`\`\`markdown\n${whole}\`\`\`\nDone.`)).toBe(whole)
  })

  test('is the content of the last fence if no fence holds a frontmatter, and the whole answer without a fence', () => {
    expect(draftIn('```\none\n```\n```\ntwo\n```')).toBe('two\n')
    expect(draftIn('I can’t.')).toBe('I can’t.\n')
  })
})
