/** Forms: questions to the user, and the approval of a plan. */
import { describe, expect, test } from 'vitest'
import type { FormAnswer } from '../../shared/forms/form.ts'
import type { ToolContext } from './ports/tool.ts'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, type Call, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestOptions, testDefinitions } from './testing/test-runtime.ts'

const QUESTIONS = [
  {
    question: 'Which database?',
    header: 'Database',
    options: [
      { label: 'Postgres', description: 'Runs already.' },
      { label: 'SQLite', description: 'One file.' },
    ],
  },
  {
    question: 'Which parts?',
    header: 'Parts',
    options: [
      { label: 'Server', description: '' },
      { label: 'Client', description: '' },
    ],
    multiSelect: true,
  },
]
const ASK: Call = ['AskUserQuestion', { questions: QUESTIONS }]
const PLAN: Call = ['ExitPlanMode', { plan: '# Plan\n1. Change a.ts' }]

function troupeThat(call: Call, more: Partial<TestOptions> = {}) {
  return createTestRuntime({
    script: script([{ calls: [call] }, { text: 'Done.' }], () => ({ text: '' })),
    ...more,
  })
}

/** Begins, answers the form, and returns the result that the model got. */
async function answered(
  call: Call,
  answer: FormAnswer,
  options: Parameters<ReturnType<typeof createTestRuntime>['begin']>[1] = {},
) {
  const troupe = troupeThat(call)
  const conversationId = await troupe.begin('Go', options)
  const { agentId, formId } = await troupe.when('form-opened')
  const taken = await troupe.runtime.dispatch({
    type: 'agent.answerForm',
    conversationId,
    agentId,
    formId,
    answer,
  })
  expect(taken.ok).toBe(true)
  await troupe.runtime.settled(conversationId)
  return { troupe, conversationId, agentId, formId, result: lastWords(troupe.model.requests[1]!) }
}

const accept = (values: Record<string, unknown>): FormAnswer => ({ action: 'accept', values })

describe('AskUserQuestion', () => {
  test('tells the model each question with its answer, and the user’s own text as such', async () => {
    const { result, troupe, conversationId, agentId, formId } = await answered(
      ASK,
      accept({ 'Which database?': 'MySQL 8', 'Which parts?': ['Client', 'Server'] }),
    )
    expect(result).toContain(`Which database?\n→ MySQL 8 (in the user's own words)`)
    expect(result).toContain('Which parts?\n→ Server, Client')
    expect(troupe.runtime.state(conversationId, agentId)?.forms).toEqual([])
    const again = await troupe.runtime.dispatch({
      type: 'agent.answerForm',
      conversationId,
      agentId,
      formId,
      answer: accept({}),
    })
    expect(again.ok).toBe(false)
  })

  test('says which question has no answer', async () => {
    const { result } = await answered(ASK, accept({ 'Which parts?': [], 'Which database?': 'SQLite' }))
    expect(result).toContain('Which database?\n→ SQLite\n\nWhich parts?\n→ (not answered)')
  })

  test.each([
    [null, 'declined to answer. Do not ask again.'],
    ['Ask later.', 'declined to answer, and wrote: Ask later.'],
  ])('passes on a refusal with feedback %s', async (feedback, text) => {
    expect((await answered(ASK, { action: 'decline', feedback })).result).toContain(text)
  })

  test.each([
    ['no question', { questions: [] }],
    [
      'five questions',
      { questions: Array.from({ length: 5 }, (_, at) => ({ ...QUESTIONS[0], question: `${at}?` })) },
    ],
    ['one option', { questions: [{ ...QUESTIONS[0], options: QUESTIONS[0]!.options.slice(1) }] }],
    ['the same question twice', { questions: [QUESTIONS[0], QUESTIONS[0]] }],
    ['the same label twice', { questions: [{ ...QUESTIONS[0], options: Array(2).fill({ label: 'A' }) }] }],
  ])('shows no form for %s', async (_, input) => {
    const troupe = troupeThat(['AskUserQuestion', input])
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.events.some(({ type }) => type === 'form-opened')).toBe(false)
    expect(lastWords(troupe.model.requests[1]!)).toContain('questions')
  })

  test('is for the main agent only', async () => {
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, { text: 'Done.' }], (request) =>
        lastWords(request).includes('not available') ? { text: 'Denied.' } : { calls: [ASK] },
      ),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const child = troupe.model.requests.filter((request) => !isMain(request))
    expect(child[0]?.tools.map(({ name }) => name)).not.toContain('AskUserQuestion')
    expect(lastWords(child[1]!)).toContain('only the main agent has it')
  })

  test('is answered at once where no user is present', async () => {
    const troupe = troupeThat(ASK, { policy: { attended: false } })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(troupe.events.some(({ type }) => type === 'form-opened')).toBe(false)
    expect(lastWords(troupe.model.requests[1]!)).toContain('no user can answer here. Decide yourself')
  })
})

describe('an open form', () => {
  test('holds no slot and shows what the agent waits for', async () => {
    const troupe = troupeThat(ASK, { policy: { maxParallelAgents: 1 } })
    const conversationId = await troupe.begin('Go')
    const { agentId } = await troupe.when('form-opened')
    await troupe.when('status-changed', ({ status }) => status === 'waiting')
    expect(troupe.runtime.state(conversationId, agentId)).toMatchObject({
      status: 'waiting',
      waitingFor: 'answer',
      forms: [{ toolName: 'AskUserQuestion' }],
    })
  })

  test('is withdrawn when the agent is stopped', async () => {
    const troupe = troupeThat(ASK)
    const conversationId = await troupe.begin('Go')
    const { agentId, formId } = await troupe.when('form-opened')
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId })
    expect(troupe.runtime.state(conversationId, agentId)?.forms).toEqual([])
    expect(troupe.events).toContainEqual(
      expect.objectContaining({
        type: 'form-closed',
        formId,
        answer: { action: 'cancel', reason: 'stopped' },
      }),
    )
    const late = await troupe.runtime.dispatch({
      type: 'agent.answerForm',
      conversationId,
      agentId,
      formId,
      answer: accept({}),
    })
    expect(late.ok).toBe(false)
  })

  test('is gone after the program died, and the call counts as interrupted', async () => {
    const before = troupeThat(ASK)
    const conversationId = await before.begin('Go')
    const { agentId } = await before.when('form-opened')
    const loggedAfterCrash = () => JSON.stringify([...before.store.afterCrash().logs.values()])
    await expect.poll(() => loggedAfterCrash()).toContain('form-opened')
    const after = createTestRuntime({
      store: before.store.afterCrash(),
      script: () => ({ text: 'Continued.' }),
    })
    await after.say(conversationId, 'Go on')
    const state = await after.runtime.settled(conversationId)
    expect(state.forms).toEqual([])
    expect(after.runtime.state(conversationId, agentId)?.forms).toEqual([])
    expect(JSON.stringify(after.model.requests[0]?.messages)).toContain(
      'Interrupted: the program ended while this ran.',
    )
  })

  test.each([
    ['reaches the user from an agent in the background that bubbles', 'bubble' as const, true],
    ['is canceled at once for another agent in the background', null, false],
  ])('%s', async (_, permissionMode, isShown) => {
    const definitions = [
      ...testDefinitions,
      { ...testDefinitions[1]!, name: 'asker', permissionMode, background: true },
    ]
    const troupe = createTestRuntime({
      definitions,
      script: script(
        [{ calls: [agentCall('one', { subagent_type: 'asker' })] }, { text: 'Done.' }],
        (request) =>
          lastWords(request).startsWith('form:') ? { text: 'Seen.' } : { calls: [['elicit', {}]] },
      ),
    })
    troupe.runtime.tools.add('mcp:x', [elicit])
    const conversationId = await troupe.begin('Go')
    if (isShown) {
      const { agentId, formId } = await troupe.when('form-opened')
      await troupe.runtime.dispatch({
        type: 'agent.answerForm',
        conversationId,
        agentId,
        formId,
        answer: accept({ name: 'a' }),
      })
    }
    const ended = await troupe.when('tool-ended', ({ name }) => name === 'elicit')
    expect(ended.content).toBe(isShown ? 'form: accept' : 'form: cancel')
    await troupe.runtime.settled(conversationId)
  })
})

const elicit = {
  name: 'elicit',
  aliases: [],
  description: 'Asks.',
  schema: { type: 'object' },
  kind: 'other' as const,
  icon: 'tool' as const,
  concurrent: true,
  sideEffects: () => false,
  summary: () => '',
  target: async () => ({ kind: 'none' as const }),
  run: async (_: unknown, { askForm }: ToolContext) => ({
    isError: false,
    note: '',
    content: `form: ${(await askForm({ kind: 'elicitation', server: 'x', message: '', schema: {} })).action}`,
  }),
}

describe('ExitPlanMode', () => {
  test.each(['acceptEdits', 'default'] as const)('changes the mode to %s on approval', async (mode) => {
    const { troupe, conversationId, result } = await answered(
      PLAN,
      accept({ plan: '# Plan\n1. Change a.ts', mode }),
      { permissionMode: 'plan' },
    )
    expect(result).toContain(`The user approved the plan. Plan mode has ended; your mode is ${mode} now.`)
    expect(troupe.events).toContainEqual(
      expect.objectContaining({ type: 'permission-mode-changed', permissionMode: mode }),
    )
    expect((await troupe.runtime.settled(conversationId)).permissionMode).toBe(mode)
  })

  test('returns an edited plan to the model', async () => {
    const { result } = await answered(PLAN, accept({ plan: '1. Change b.ts', mode: 'default' }), {
      permissionMode: 'plan',
    })
    expect(result).toContain('The user edited the plan and approved it.')
    expect(result).toContain('It now reads:\n\n1. Change b.ts')
  })

  test('never enters a mode that the form does not offer', async () => {
    const { troupe, conversationId } = await answered(PLAN, accept({ mode: 'bypassPermissions' }), {
      permissionMode: 'plan',
    })
    expect((await troupe.runtime.settled(conversationId)).permissionMode).toBe('default')
  })

  test('stays in plan mode when the user wants more planning', async () => {
    const { troupe, conversationId, result } = await answered(
      PLAN,
      { action: 'decline', feedback: 'Also the docs.' },
      { permissionMode: 'plan' },
    )
    expect(result).toContain('still in plan mode. The user wrote: Also the docs.')
    expect((await troupe.runtime.settled(conversationId)).permissionMode).toBe('plan')
  })

  test('is refused outside plan mode', async () => {
    const troupe = troupeThat(PLAN)
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(lastWords(troupe.model.requests[1]!)).toContain('You are not in plan mode (mode: default)')
  })

  test('stays in plan mode where no user is present', async () => {
    const troupe = troupeThat(PLAN, { policy: { attended: false } })
    const state = await troupe.runtime.settled(await troupe.begin('Go', { permissionMode: 'plan' }))
    expect(lastWords(troupe.model.requests[1]!)).toContain('no user can approve it here')
    expect(troupe.model.requests[0]?.system).toContain('Only the user can leave this mode.')
    expect(state.permissionMode).toBe('plan')
  })

  test('is named by the text about plan mode', async () => {
    const troupe = troupeThat(PLAN)
    await troupe.begin('Go', { permissionMode: 'plan' })
    await troupe.when('form-opened')
    expect(troupe.model.requests[0]?.system).toContain('call ExitPlanMode with it')
  })
})
