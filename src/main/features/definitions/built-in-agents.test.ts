/** Each built-in agent is an ordinary definition, without a diagnostic. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { resolveTools } from '../../../shared/agent-definition/resolve-tools.ts'
import { coordinatorTools } from '../../../shared/tools/tool-facts.ts'
import { TUTORIAL_MODEL } from '../../../shared/tutorial/tutorial.ts'

const folder = join(import.meta.dirname, '../../../../agents')
const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
const read = (name: string) => {
  const text = readFileSync(join(folder, `${name}.md`), 'utf8')
  const { definition, ...rest } = readDefinition(text, { stem: name, source: 'the program' })
  if (definition === null) throw new Error(`${name} is not a definition`)
  return { definition, ...rest }
}
const tools = [
  'Agent',
  'Read',
  'Write',
  'Edit',
  'NotebookEdit',
  'Glob',
  'Grep',
  'Bash',
  'WebFetch',
  'WebSearch',
]
const toolsOf = (name: string) =>
  resolveTools({ ...read(name).definition, source: 'built-in' }, { tools, depth: 1 }).allowed

describe('the built-in agents', () => {
  test.each(files.map((file) => basename(file, '.md')))('%s has no diagnostic', (name) => {
    const { definition, offered, recovered, diagnostics } = read(name)
    expect({ name: definition.name, offered, recovered, diagnostics }).toEqual({
      name,
      offered: true,
      recovered: [],
      diagnostics: [],
    })
    expect(definition.prompt.length).toBeGreaterThan(200)
  })

  test('are complete', () => {
    const names =
      'Bash Explore Plan Verification agent-writer coordinator general-purpose guide main statusline-setup tutorial'
    expect(files.map((file) => basename(file, '.md')).toSorted()).toEqual(names.split(' ').toSorted())
  })

  test.each([
    ['main', { hidden: true, tools: null, model: 'inherit' }],
    ['coordinator', { hidden: true, tools: [...coordinatorTools], model: 'inherit' }],
    ['general-purpose', { model: 'inherit', tools: null }],
    [
      'Explore',
      { model: 'haiku', readOnly: true, oneShot: true, maxTurns: 15, omitProjectInstructions: true },
    ],
    ['Plan', { model: 'inherit', readOnly: true, oneShot: true }],
    ['Bash', { model: 'inherit', tools: ['Bash'] }],
    [
      'Verification',
      { isolation: 'worktree', carryOver: true, background: true, permissionMode: 'bubble', oneShot: true },
    ],
    ['guide', { model: 'haiku', permissionMode: 'dontAsk', aliases: ['claude-code-guide'] }],
    ['statusline-setup', { model: 'sonnet', color: 'orange', tools: ['Read', 'Edit'] }],
    ['agent-writer', { hidden: true }],
    ['tutorial', { hidden: true, model: TUTORIAL_MODEL, maxTurns: 200 }],
  ])('%s has the intended fields', (name, expected) => {
    expect(read(name).definition).toMatchObject(expected)
  })

  test.each([
    ['Explore', ['Read', 'Glob', 'Grep', 'Bash', 'WebFetch', 'WebSearch']],
    ['Plan', ['Read', 'Glob', 'Grep', 'Bash', 'WebFetch', 'WebSearch']],
    ['Verification', ['Read', 'Glob', 'Grep', 'Bash', 'WebFetch', 'WebSearch']],
    ['guide', ['Read', 'Glob', 'Grep', 'WebFetch', 'WebSearch']],
    ['statusline-setup', ['Read', 'Edit']],
    ['agent-writer', []],
    ['tutorial', ['Agent', 'Read', 'Write', 'Edit', 'Bash']],
  ])('%s has the intended tools', (name, expected) => {
    expect(toolsOf(name)).toEqual(expected)
  })

  test.each(['Explore', 'Plan'])('%s has a read-only reminder', (name) => {
    expect(read(name).definition.reminder).toContain('only read')
  })

  test('Explore and its description name the same levels of thoroughness', () => {
    const { description, prompt } = read('Explore').definition
    for (const depth of ['quick', 'medium', 'very thorough']) {
      expect(description).toContain(depth)
      expect(prompt).toContain(depth)
    }
  })
})
