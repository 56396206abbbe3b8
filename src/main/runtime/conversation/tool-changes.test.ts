import { describe, expect, test } from 'vitest'
import type { SkillInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { announceAgent } from '../../../shared/agent-definition/definition-messages.ts'
import type { ToolSchema } from '../../../shared/events/agent-event.ts'
import { describeSkillTool } from '../tools/skill.ts'
import { type CurrentTools, type KnownTools, type ListingTool, toolChanges } from './tool-changes.ts'

const agents = (...described: readonly (readonly [name: string, description?: string])[]): ListingTool => ({
  name: 'Agent',
  noun: 'agent',
  use: 'start them with Agent',
  description: `Agents: ${described.join(' ')}`,
  entries: Object.fromEntries(
    described.map(([name, description = `Use ${name}.`]) => [
      name,
      announceAgent(plainDefinition(name, description), ['Read']),
    ]),
  ),
})
const skills = (...names: readonly string[]): ListingTool => {
  const list = names.map(
    (name): SkillInfo => ({ name, description: `Does ${name}.`, source: 'user', file: '' }),
  )
  return { name: 'Skill', noun: 'skill', use: 'load them with Skill', ...describeSkillTool(list) }
}
const known = (...lists: readonly ListingTool[]): KnownTools => ({
  schemas: [],
  removed: new Set(),
  entries: Object.fromEntries(lists.map(({ name, entries }) => [name, entries])),
  answered: true,
})
const now = (...lists: readonly ListingTool[]): CurrentTools => ({
  added: [],
  hasKnown: () => true,
  isThere: () => false,
  lists,
  unusable: [],
})

describe('changes of the agents and skills that an agent can use', () => {
  test('nothing is reported if only the text around the lists differs', () => {
    const list = agents(['a'], ['b'])
    expect(toolChanges(known(list), now(list))).toBeNull()
    expect(toolChanges(known(list), now({ ...list, description: 'Other words.' }))).toBeNull()
    expect(toolChanges(known(agents(), skills()), now(agents(), skills()))).toBeNull()
  })

  test('reports new, changed and removed entries', () => {
    const before = agents(['a'], ['b'], ['ops:shell'])
    const after = agents(['a'], ['b', 'Otherwise.\n\n- c: no entry'], ['new one', 'x'])
    const changed = toolChanges(known(before), now(after))
    expect(changed?.text).toBe(`The available agents have changed.
New or changed (start them with Agent):
- b: Otherwise.
  - c: no entry (Tools: Read)
- new one: x (Tools: Read)
No longer available: ops:shell.`)
    expect(changed).toMatchObject({
      descriptions: { Agent: after.description },
      entries: { Agent: after.entries },
    })
    expect(toolChanges({ ...known(), entries: changed?.entries ?? {} }, now(after))).toBeNull()
  })

  test('reports the first added and the last removed entry', () => {
    expect(toolChanges(known(agents()), now(agents(['a'])))?.note).toBe('New or changed agent: a.')
    expect(toolChanges(known(agents(['a'], ['b'])), now(agents()))?.note).toBe('No longer available: a, b.')
    expect(toolChanges(known(skills()), now(skills('x', 'y')))?.note).toBe('New or changed skills: x, y.')
    expect(toolChanges(known(skills('x')), now(skills()))?.text).toContain('No longer available: x.')
  })

  test('reports both lists at once, and only those of tools that the agent has', () => {
    const after = now(agents(['a']), skills('x'))
    expect(toolChanges(known(agents(), skills()), after)?.text).toContain(
      '\n\nThe available skills have changed.',
    )
    expect(Object.keys(toolChanges(known(agents()), after)?.descriptions ?? {})).toEqual(['Agent'])
    expect(toolChanges(known(), after)).toBeNull()
  })
})

describe('changes of tools', () => {
  const tool = (name: string, description = 'x'): ToolSchema => ({
    name,
    description,
    input_schema: {},
    source: 'github',
  })
  const plain: ToolSchema = { name: 'Read', description: 'x', input_schema: {} }

  test('a new tool and one with another schema are added, with their schemas', () => {
    const changed = toolChanges(
      { ...known(), schemas: [plain, tool('a'), tool('b')] },
      { ...now(), added: [tool('a'), tool('b', 'other'), tool('c')] },
    )
    expect(changed).toMatchObject({ added: [tool('b', 'other'), tool('c')], removed: [] })
    expect(changed?.note).toBe('New or changed tools: b, c.')
  })

  test('a tool that is there before the first answer stands in the first request, so no text names it', () => {
    const before = { ...known(), schemas: [plain, tool('a')], answered: false }
    const changed = toolChanges(before, { ...now(), added: [tool('a'), tool('b')] })
    expect(changed).toMatchObject({ text: '', added: [tool('b')], note: 'New or changed tool: b.' })
    expect(toolChanges(before, { ...now(), added: [tool('b')] })?.text).toBe(
      'These tools were removed, so calls of them fail: a. Continue without them.',
    )
    const again = { ...before, removed: new Set(['a']) }
    expect(toolChanges(again, { ...now(), added: [tool('a'), tool('b')] })?.text).toBe(
      'New or changed tools that you can call now: a.',
    )
  })

  test('a missing tool is reported as removed once, and as added when it returns', () => {
    const before = { ...known(), schemas: [plain, tool('a')] }
    const gone = toolChanges(before, now())
    expect(gone).toMatchObject({ added: [], removed: ['a'], note: 'Removed tool: a.' })
    const removed = { ...before, removed: new Set(['a']) }
    expect(toolChanges(removed, now())).toBeNull()
    expect(toolChanges(removed, { ...now(), added: [tool('a')] })).toMatchObject({ added: [tool('a')] })
  })

  test('a tool whose source has not been added yet is not reported as removed', () => {
    const before = { ...known(), schemas: [tool('a')] }
    expect(toolChanges(before, { ...now(), hasKnown: () => false })).toBeNull()
  })
})

test('a tool that no agent can have is told once, with the reason', () => {
  const unusable = [{ name: 'mcp__a__b', because: 'its schema has "text" where a schema belongs' }]
  const changed = toolChanges(known(), { ...now(), unusable })
  expect(changed?.text).toContain('- mcp__a__b: its schema has "text" where a schema belongs.\n')
  expect(changed?.note).toBe('mcp__a__b is not used: its schema has "text" where a schema belongs.')
  expect(changed?.removed).toEqual(['mcp__a__b'])
  expect(toolChanges({ ...known(), removed: new Set(['mcp__a__b']) }, { ...now(), unusable })).toBeNull()
})
