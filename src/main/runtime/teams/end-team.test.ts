import { describe, expect, test } from 'vitest'
import { lastWords } from '../testing/scripted-model.ts'
import { type Call, childrenOf, echo, gate, isMain, script } from '../testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from '../testing/test-runtime.ts'

const member = (name: string) => ({ name, agent: 'general-purpose', prompt: `You are ${name}.` })
const teamCreate = (...names: string[]): Call => ['TeamCreate', { name: 'pay', members: names.map(member) }]
const teamDelete = (more: object = {}): Call => ['TeamDelete', { name: 'Pay', ...more }]
const record = (troupe: TestRuntime, id: string) => troupe.store.records.get(id)!
const results = (troupe: TestRuntime) =>
  troupe.events.flatMap((event) =>
    event.type === 'tool-ended' && event.name === 'TeamDelete' ? [String(event.content)] : [],
  )

function watchTeamEvents(troupe: TestRuntime): readonly string[] {
  const types: string[] = []
  troupe.runtime.subscribe((delta) => {
    if (delta.type === 'conversation-event' && delta.event.type.startsWith('team-'))
      types.push('forced' in delta.event ? `${delta.event.type} ${delta.event.forced}` : delta.event.type)
  })
  return types
}

describe('TeamDelete', () => {
  test('waits for members that work: they are asked, finish, report and leave; the team ends last', async () => {
    const asked = gate()
    const troupe: TestRuntime = createTestRuntime({
      ports: {
        clock: {
          now: () => Date.now(),
          // The members end first.
          sleep: (_ms, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
        },
      },
      script: script([{ calls: [teamCreate('ada')] }, { calls: [teamDelete()] }, echo], async (request) => {
        if (lastWords(request).includes('You are ada.')) {
          await asked.opened
          return { calls: [['TodoWrite', { todos: [] }]] }
        }
        return { text: `my report after: ${lastWords(request)}` }
      }),
    })
    const types = watchTeamEvents(troupe)
    troupe.runtime.subscribe((delta) => {
      if (delta.type === 'conversation-event' && delta.event.type === 'message-queued') asked.open()
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(types).toEqual(['team-created', 'team-ending', 'team-member-removed', 'team-ended false'])
    expect(results(troupe)[0]).toContain('The team pay has ended.')
    const heard = troupe.model.requests.filter(isMain).map(lastWords).join('\n')
    expect(heard).toContain('my report after')
    expect(heard).toContain('The leader ends the team. Finish the task that you have begun')
  })

  test('names members that still work after the timeout; the team ends by itself with the last one', async () => {
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [teamCreate('ada', 'bob')] },
          async () => {
            await troupe.when('agent-ended')
            return { calls: [teamDelete({ timeout: 5 })] }
          },
          { text: 'I go on.' },
        ],
        async (request) => {
          if (lastWords(request).includes('You are ada.')) await work.opened
          return { text: 'done' }
        },
      ),
    })
    const types = watchTeamEvents(troupe)
    const id = await troupe.begin('Go')
    await troupe.when('assistant-message', (event) => JSON.stringify(event.content).includes('I go on.'))
    expect(results(troupe)[0]).toMatch(
      /The team pay has not ended yet: ada \(running, turn 1\) still works\. .* TeamDelete with force/,
    )
    expect(record(troupe, id).teams[0]?.endedAt).toBeNull()
    work.open()
    await troupe.runtime.settled(id)
    expect(types.at(-1)).toBe('team-ended false')
    expect(record(troupe, id).teams[0]?.endedAt).not.toBeNull()
  })

  test('with force: members are stopped, release their tasks, and the open tasks are named', async () => {
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [['TaskCreate', { subject: 'one' }]] },
          { calls: [teamCreate('ada', 'bob')] },
          async () => {
            await troupe.when('tool-ended', (event) => event.name === 'TaskUpdate')
            return { calls: [teamDelete({ force: true })] }
          },
          echo,
        ],
        (request, signal) => {
          const words = lastWords(request)
          if (words.includes('You are ada.'))
            return { calls: [['TaskUpdate', { task_id: '1', status: 'in_progress' }]] }
          if (words.includes('You are bob.')) return { text: 'idle' }
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve({ text: '' })))
        },
      ),
    })
    const types = watchTeamEvents(troupe)
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(types.at(-1)).toBe('team-ended true')
    expect(types.filter((type) => type === 'team-member-removed')).toHaveLength(2)
    expect(results(troupe)[0]).toContain('1 task of the list is not done: 1 (one).')
    expect(record(troupe, id).tasks).toMatchObject([{ status: 'pending', owner: null }])
    const ada = childrenOf(troupe).find(({ name }) => name === 'ada')?.agentId ?? ''
    expect(troupe.runtime.state(id, ada)?.status).toBe('stopped')
  })

  test('of an unknown team lists the teams, and nobody joins or claims while a team ends', async () => {
    const work = gate()
    const troupe: TestRuntime = createTestRuntime({
      script: script(
        [
          { calls: [['TaskCreate', { subject: 'one' }]] },
          { calls: [teamCreate('ada')] },
          { calls: [['TeamDelete', { name: 'nope' }]] },
          { calls: [teamDelete({ timeout: 1 })] },
          () => {
            work.open()
            return { calls: [['Agent', { description: 'x', prompt: 'x', name: 'eve', team_name: 'pay' }]] }
          },
          echo,
        ],
        async (request) => {
          if (!lastWords(request).includes('You are ada.')) return { text: `got ${lastWords(request)}` }
          await work.opened
          return { calls: [['TaskUpdate', { task_id: '1', status: 'in_progress' }]] }
        },
      ),
    })
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    expect(results(troupe)[0]).toBe('There is no team "nope". Teams: pay.')
    expect(childrenOf(troupe)).toHaveLength(1)
    expect(JSON.stringify(troupe.events)).toContain('the team pay is ending, so nobody joins it')
    expect(JSON.stringify(troupe.events)).toContain('The team is ending, so nobody takes another task.')
    expect(record(troupe, id).tasks).toMatchObject([{ status: 'pending' }])
  })
})
