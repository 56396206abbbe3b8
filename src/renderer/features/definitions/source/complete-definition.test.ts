import { CompletionContext } from '@codemirror/autocomplete'
import { EditorState } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { expect, test } from 'vitest'
import { sampleSurroundings } from '../testing/sample-surroundings.ts'
import { completeDefinition } from './complete-definition.ts'
import { surroundingsFacet } from './surroundings-facet.ts'

/** `|` marks the cursor. */
function complete(text: string, { explicit = true } = {}) {
  const pos = text.indexOf('|')
  const state = EditorState.create({
    doc: text.replace('|', ''),
    extensions: surroundingsFacet.of(sampleSurroundings()),
  })
  const result = completeDefinition(new CompletionContext(state, pos, explicit))
  return result === null
    ? null
    : {
        ...result,
        state,
        typed: state.sliceDoc(result.from, pos),
        labels: result.options.map(({ label }) => label),
      }
}
const labels = (text: string) => complete(text)?.labels ?? []

test('keys are offered unless present under any of their names', () => {
  const found = labels('---\nname: a\nwhen-to-use: b\nm|\n---\n')
  expect(found).toContain('model')
  expect(found).not.toContain('name')
  expect(found).not.toContain('description')
})

test('a completed key gets a colon unless it has one', () => {
  const accept = (text: string, label: string) => {
    const result = complete(text)
    const option = result?.options.find((each) => each.label === label)
    if (!result || !option) throw new Error('not offered')
    const view = new EditorView({ state: result.state })
    const to = result.to ?? result.state.doc.length
    if (typeof option.apply === 'function') option.apply(view, option, result.from, to)
    else view.dispatch({ changes: { from: result.from, to, insert: option.apply ?? option.label } })
    return view.state.doc.toString()
  }
  expect(accept('---\nname: a\neff|', 'effort')).toBe('---\nname: a\neffort: ')
  expect(accept('---\nname: a\nmod|: opus\n---\n', 'model')).toBe('---\nname: a\nmodel: opus\n---\n')
  expect(accept('---\ntools: Read, Ag|', 'Agent(…)')).toBe('---\ntools: Read, Agent()')
})

test('values are offered for each kind of key', () => {
  expect(labels('---\nmodel: |\n---\n')).toEqual([
    'inherit',
    'haiku',
    'sonnet',
    'opus',
    'fable',
    'claude-opus-5-5',
  ])
  expect(labels('---\ncolor: p|\n---\n')).toContain('purple')
  expect(labels('---\nreadOnly: |\n---\n')).toEqual(['true', 'false'])
  expect(labels('---\npermissionMode: d|\n---\n')).toContain('dontAsk')
  expect(labels('---\nskills: |\n---\n')).toEqual(['commit', 'owasp'])
  expect(labels('---\nmcpServers: [|]\n---\n')).toEqual(['github'])
  expect(labels('---\nname: |\n---\n')).toEqual([])
})

test.each([
  ['commas', 'tools: Read, G|'],
  ['a comma alone', 'tools: Read,|'],
  ['a flow list', 'tools: [Read, G|]'],
  ['quotes in a flow list', 'tools: ["Read", "G|"]'],
  ['a block list', 'tools:\n  - Read\n  - G|'],
  ['a flow list over lines', 'tools: [\n  Read,\n  G|\n]'],
  ['the middle', 'tools: G|, Read'],
])('names in a list are completed one by one, without the present ones: %s', (_how, written) => {
  const found = complete(`---\nname: a\n${written}\n---\n`)
  expect(found?.typed).toMatch(/^G?$/)
  expect(found?.labels).toEqual(expect.arrayContaining(['Grep', 'Write', 'mcp__github', 'Agent(…)']))
  expect(found?.labels).not.toContain('Read')
})

test('within Agent( ) the other offered agents are completed', () => {
  expect(labels('---\ntools: Read, Agent(|)\n---\n')).toEqual(['Explore'])
  expect(complete('---\ntools: [Agent(Plan, E|)]\n---\n')?.typed).toBe('E')
})

test('nothing is offered in a rule, a comment, the body, or on an empty line without a request', () => {
  expect(complete('---\ntools: Bash(gi|)\n---\n')).toBeNull()
  expect(complete('---\ntools: Read # an|\n---\n')).toBeNull()
  expect(complete('---\nname: a\n---\nm|\n')).toBeNull()
  expect(complete('---\nname: a\n|\n---\n', { explicit: false })).toBeNull()
  expect(complete('Only words, m|')).toBeNull()
})

test('a frontmatter without an end fence is completed', () => {
  expect(labels('---\nname: a\nmo|')).toContain('model')
})
