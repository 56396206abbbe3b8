/** Which tools requests list: only those of use, and the same for agents of one type, so that they share a cached prefix. */
import { describe, expect, test } from 'vitest'
import type { LoadedSkill, ModelRequest } from './ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, echo, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

const skill: LoadedSkill = {
  name: 'commit',
  description: 'Commits.',
  source: 'project',
  file: '/project/.claude/skills/commit/SKILL.md',
  folder: '/project/.claude/skills/commit',
  body: 'Commit.',
}
const namesOf = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? []

describe('agents of one type', () => {
  const inBoth = [
    agentCall('one', { subagent_type: 'w' }),
    agentCall('two', { subagent_type: 'w', run_in_background: true }),
  ]
  const run = async (tools: readonly string[] | null, child: Parameters<typeof script>[1]) => {
    const definitions = [...testDefinitions, { ...testDefinitions[1]!, name: 'w', tools }]
    const troupe = createTestRuntime({ definitions, script: script([{ calls: inBoth }, echo], child) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    return troupe.model.requests.filter((request) => !isMain(request))
  }

  test.each([[null], [['Read', 'Agent(Explore)']]])(
    'have the same tools and prompt in the foreground and in the background (tools: %j)',
    async (tools) => {
      const [one, two, ...rest] = await run(tools, () => ({ text: 'done' }))
      expect(rest).toEqual([])
      expect(two?.tools).toEqual(one?.tools)
      expect(two?.system).toBe(one?.system)
    },
  )

  test('cannot use a tool of the foreground in the background, and are told', async () => {
    const requests = await run(['Read', 'Agent(Explore)'], (request) =>
      request.messages.length > 1 || !lastWords(request).includes('Do two.')
        ? { text: 'done' }
        : { calls: [agentCall('x', { subagent_type: 'Explore' })] },
    )
    const two = requests.filter((request) => JSON.stringify(request.messages).includes('Do two.'))
    expect(lastWords(two[0]!)).toContain('where calls of these tools are refused: Agent.')
    expect(lastWords(two[1]!)).toContain('Agent is not available to you: background agents do not have it.')
  })
})

test('an agent that starts neither agents nor commands has no TaskOutput and TaskStop; the main agent has them', async () => {
  const troupe = createTestRuntime({
    definitions: testDefinitions.map((each) => ({ ...each, readOnly: each.name !== 'main' })),
    script: script([{ calls: [agentCall('one')] }, echo], () => ({ text: 'done' })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const [main, child] = troupe.model.requests
  expect(namesOf(main)).toEqual(expect.arrayContaining(['TaskOutput', 'TaskStop']))
  expect(namesOf(child).filter((name) => name.startsWith('Task'))).toEqual([])
  const description = main?.tools.find(({ name }) => name === 'Agent')?.description
  expect(description).not.toMatch(/Tools: .*(TaskOutput|TaskStop|Skill)/)
})

describe('without skills', () => {
  test('Skill is left out, and a call of it says why', async () => {
    const troupe = createTestRuntime({ script: script([{ calls: [['Skill', { skill: 'x' }]] }, echo], echo) })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(namesOf(troupe.model.requests[0])).not.toContain('Skill')
    expect(lastWords(troupe.model.requests[1]!)).toContain(
      'Skill is not available to you: there is nothing here to use it with.',
    )
  })

  test('Skill comes with the first skill, and its list is announced once', async () => {
    let skills: readonly LoadedSkill[] = []
    const troupe = createTestRuntime({ skills: () => skills, script: echo })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    skills = [skill]
    for (const text of ['Next', 'And next']) {
      await troupe.say(id, text)
      await troupe.runtime.settled(id)
    }
    const [first, second, third] = troupe.model.requests
    expect(namesOf(first)).not.toContain('Skill')
    expect(lastWords(second!)).toContain('New or changed tools that you can call now: Skill.')
    expect(second?.tools.find(({ name }) => name === 'Skill')?.description).toContain('- commit: Commits.')
    expect(lastWords(third!)).toBe('And next')
    skills = [skill, { ...skill, name: 'deploy', description: 'Deploys.' }]
    await troupe.say(id, 'Last')
    await troupe.runtime.settled(id)
    expect(lastWords(troupe.model.requests[3]!)).toContain(
      'New or changed (load them with Skill):\n- deploy: Deploys.',
    )
    expect(troupe.model.requests[3]?.tools).toEqual(third?.tools)
  })
})
