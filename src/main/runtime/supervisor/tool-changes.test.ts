import { describe, expect, test } from 'vitest'
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { SkillInfo } from '../../../shared/agent-library.ts'
import { describeAgentTool } from '../definitions/agent-tool-description.ts'
import type { LoadedDefinition } from '../ports.ts'
import { describeSkillTool } from '../tools/skill.ts'
import { toolChanges } from './tool-changes.ts'

const agent = (name: string, description = `Use ${name}.`): LoadedDefinition => ({
  ...plainDefinition(name, description),
  source: 'user',
  file: null,
})
const skill = (name: string): SkillInfo => ({ name, description: `Does ${name}.`, source: 'user', file: '' })
const agents = (...definitions: readonly LoadedDefinition[]) => ({
  Agent: describeAgentTool(definitions, () => ['Read']),
})
const skills = (...list: readonly SkillInfo[]) => ({ Skill: describeSkillTool(list) })

describe('what is told of agents and skills that changed', () => {
  test('nothing where their lists are the same, in whatever words around them', () => {
    const told = agents(agent('a'), agent('b'))
    expect(toolChanges(told, told)).toBeNull()
    expect(toolChanges({ Agent: told.Agent.replace('Do not start one', 'Never start one') }, told)).toBeNull()
    expect(toolChanges(agents(), agents())).toBeNull()
    expect(toolChanges(skills(), skills())).toBeNull()
  })

  test('those that came, were described anew, or went', () => {
    const told = agents(agent('a'), agent('b'), agent('ops:shell'))
    const now = agents(agent('a'), agent('b', 'Otherwise.\n\n- c: no entry'), agent('new one', 'x'))
    const changed = toolChanges(told, now)
    expect(changed?.text).toBe(`The agents there are have changed.
New or described anew, to be started with Agent from now on:
- b: Otherwise.
  - c: no entry (Tools: Read)
- new one: x (Tools: Read)
No longer there: ops:shell.`)
    expect(changed?.descriptions).toEqual(now)
    expect(toolChanges({ ...told, ...changed?.descriptions }, now)).toBeNull()
  })

  test('of the first, and of the last', () => {
    expect(toolChanges(agents(), agents(agent('a')))?.note).toBe('New or changed agent: a.')
    expect(toolChanges(agents(agent('a'), agent('b')), agents())?.note).toBe('No longer there: a, b.')
    expect(toolChanges(skills(), skills(skill('x'), skill('y')))?.note).toBe('New or changed skills: x, y.')
    expect(toolChanges(skills(skill('x')), skills())?.text).toContain('No longer there: x.')
  })

  test('both at once, and only of tools that the agent has', () => {
    const told = { ...agents(), ...skills() }
    const now = { ...agents(agent('a')), ...skills(skill('x')) }
    expect(toolChanges(told, now)?.text).toContain('\n\nThe skills there are have changed.')
    expect(Object.keys(toolChanges(agents(), now)?.descriptions ?? {})).toEqual(['Agent'])
    expect(toolChanges({ Read: '' }, now)).toBeNull()
  })
})
