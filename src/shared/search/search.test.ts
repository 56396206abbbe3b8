import { expect, test } from 'vitest'
import { sampleEvent } from '../testing/sample-events.ts'
import { loggedTexts } from './logged-texts.ts'
import { LINE_LENGTH, plainQuery, type SearchQuery } from './search.ts'
import { textMatcher } from './text-matcher.ts'

function matcher(text: string, more: Partial<SearchQuery> = {}) {
  const made = textMatcher({ ...plainQuery(text), ...more })
  if (!made.ok) throw new Error(made.failure.message)
  return made.value
}
const marked = (text: string, within: string, more?: Partial<SearchQuery>) => {
  const found = matcher(text, more).find(within)
  return found && { line: found.line, marks: found.marks.map(([start, end]) => found.line.slice(start, end)) }
}

test('words match across spaces, underscores, line breaks and changes of case', () => {
  for (const text of ['charge key', 'charge_key', 'chargeKey', 'Charge-Key', 'charge\n  key'])
    expect(marked('charge key', `the ${text}.`)?.marks).toEqual([text.replace(/\s/g, ' ')])
  expect(marked('charge key', 'charge a key')).toBeNull()
  expect(marked('charge key', 'Charge key', { matchCase: true })).toBeNull()
  expect(marked('key', 'monkeys', { wholeWords: true })).toBeNull()
  expect(marked('schlüssel', 'der Schlüssel', { wholeWords: true })?.marks).toEqual(['Schlüssel'])
  expect(marked('a.b(', 'a.b(c) axb(')?.marks).toEqual(['a.b('])
})

test('the line of the first match is shortened around it, and its marks stay right', () => {
  expect(marked('key', 'first\n   the key and a key\nkey')).toEqual({
    line: 'the key and a key',
    marks: ['key', 'key'],
  })
  const long = `${'a '.repeat(500)}key ${'b '.repeat(500)}`
  const found = marked('key', long)
  expect(found?.marks).toEqual(['key'])
  expect(found?.line).toMatch(/^…(a )+key (b )+b?…$/)
  expect(found?.line.length).toBeLessThanOrEqual(LINE_LENGTH + 2)
  expect(marked('\\d+$', 'a 1\nb 22', { regex: true })).toEqual({ line: 'a 1', marks: ['1'] })
  expect(marked('x*', 'axx', { regex: true })?.marks).toEqual(['xx'])
})

test('the pattern of lines covers the text as JSON has it', () => {
  const covers = (text: string, said: string, more?: Partial<SearchQuery>) => {
    expect(matcher(text, more).find(said), said).not.toBeNull()
    const { linePattern } = matcher(text, more)
    return new RegExp(linePattern, 'i').test(JSON.stringify({ text: said }))
  }
  expect(covers('say "hi"', 'say "hi" now')).toBe(true)
  expect(covers('C:\\work', 'in C:\\work\\a')).toBe(true)
  expect(covers('charge key', 'charge\nkey')).toBe(true)
  expect(covers('a\u0007b', 'a\u0007b')).toBe(true)
  for (const expression of [
    '"name"\\s*:',
    'foo(bar)?baz',
    'ab{2,3}c',
    '[cd]harge\\.key',
    'x+yz',
    'one|two',
    '^\\d+$',
    'a\\u{62}',
    'n.?o',
  ])
    expect(
      covers(expression, '"name" : foobaz abbc charge.key xxyz two\n12\nno', { regex: true }),
      expression,
    ).toBe(true)
  expect(matcher('[cd]harge\\.key', { regex: true }).linePattern).toBe('harge\\.key')
  expect(matcher('one|two', { regex: true }).linePattern).toBe('')
})

test('an expression that is not valid says what is wrong; needless escapes are allowed', () => {
  expect(textMatcher({ ...plainQuery('(a'), regex: true })).toMatchObject({
    ok: false,
    failure: { type: 'bad-pattern', message: expect.stringContaining('Unterminated group') },
  })
  expect(marked('a\\-b', 'a-b', { regex: true })?.marks).toEqual(['a-b'])
  expect(textMatcher(plainQuery('  '))).toMatchObject({ ok: false })
})

test('texts are what was said, and no keys, ids or figures', () => {
  const said = sampleEvent('assistant-message', {
    content: [
      { type: 'thinking', thinking: 'Hm.', signature: 'secret' },
      { type: 'text', text: 'Hello.' },
      {
        type: 'tool_use',
        id: 't-1',
        name: 'Edit',
        input: { path: 'a.ts', edits: [{ new: 'b' }], all: true },
      },
      { type: 'tool_use', id: 't-2', name: 'SendMessage', input: { to: 'bob', message: 'Hi.' } },
    ],
  })
  expect(loggedTexts(said)).toEqual([
    { kind: 'thought', tool: null, text: 'Hm.' },
    { kind: 'said', tool: null, text: 'Hello.' },
    { kind: 'input', tool: 'Edit', text: 'a.ts\nb' },
    { kind: 'message', tool: 'SendMessage', text: 'bob\nHi.' },
  ])
  const received = (from: 'user' | 'agent') =>
    loggedTexts(sampleEvent('user-message', { from, content: [{ type: 'text', text: 'Go.' }] }))
  expect(received('user')).toEqual([{ kind: 'you', tool: null, text: 'Go.' }])
  expect(received('agent')).toEqual([{ kind: 'message', tool: null, text: 'Go.' }])
  expect(loggedTexts(sampleEvent('tool-ended', { name: 'Bash', content: 'out' }))).toEqual([
    { kind: 'output', tool: 'Bash', text: 'out' },
  ])
  for (const other of [null, 1, [], {}, { type: 'assistant-message', content: [1, null, { type: 'text' }] }])
    expect(loggedTexts(other)).toEqual([])
})
