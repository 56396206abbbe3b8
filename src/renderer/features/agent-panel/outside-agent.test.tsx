import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { deferred } from '../../testing/deferred.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { childOf, connected, MODE, MODEL, outside, wantsLogin } from '../../testing/outside-agent.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentPanel } from './agent-panel.tsx'

let bridge: FakeBridge
let script: SampleLog

/** A subagent, named after its id. */
const spawn = (id: string, more: Parameters<SampleLog['spawn']>[1] = {}) =>
  script.spawn(id, { parentId: 'main', ...more })

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge()
  useDrafts.setState({ drafts: {} })
})
afterEach(cleanup)

function show(agentId: string, ...histories: (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({
    ...{ conversationId: 'c1', readOnly: false, queued: [] },
    agents: new Map(states.map((state) => [state.id, state])),
  })
  render(
    <TooltipProvider>
      <AgentPanel agentId={agentId} onFind={vi.fn()} onCopy={vi.fn(async () => true)}>
        <p>transcript</p>
      </AgentPanel>
    </TooltipProvider>,
  )
  return screen.getByRole('article')
}

/** The events are made in their order. */
const codex = (...more: (() => AgentEvent)[]) => [
  outside(spawn('codex', { parentId: 'main' })),
  script.status('codex', 'running'),
  connected(script, 'codex'),
  ...more.map((make) => make()),
]
const options = (...list: (typeof MODE)[]) => script.next('codex', { type: 'program-options', options: list })
const says = (usage: object, costUsd: number | null) =>
  ({
    ...script.says('codex', 'x'),
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...usage },
    costUsd,
  }) as AgentEvent

test('the strip names the program and how it asks; before it is connected, its command', () => {
  const root = show(
    'codex',
    codex(() => options(MODE)),
  )
  expect(within(root).getByRole('button', { name: 'codex-acp 2.6.0: about this program' })).toBeTruthy()
  expect(root.textContent).toContain('asks before it writes')
  expect(root.querySelector('header')?.textContent).toContain('ACP')
  cleanup()
  const starting = show('codex', [outside(spawn('codex')), script.status('codex', 'running')])
  expect(within(starting).getByRole('button', { name: /^codex-acp --stdio:/ })).toBeTruthy()
  expect(starting.textContent).toContain('connecting…')
})

test('an own agent has no strip', () => {
  expect(show('a', [spawn('a')]).textContent).not.toContain('connecting')
})

test('figures are time, tokens and cost, with a dash for what is not reported', () => {
  const header = (root: HTMLElement) => root.querySelector('header')?.textContent
  expect(
    header(
      show(
        'codex',
        codex(() => says({}, null)),
      ),
    ),
  ).toContain('–tokens not reported · –cost not reported')
  cleanup()
  expect(
    header(
      show(
        'codex',
        codex(() => says({ input: 900 }, null)),
      ),
    ),
  ).toContain('900 tokens · –cost not reported')
  cleanup()
  const all = header(
    show(
      'codex',
      codex(() => says({ input: 900 }, 0.28)),
    ),
  )
  expect(all).toContain('900 tokens · $0.28')
  expect(all).not.toMatch(/not reported|Turn/)
})

test('the name of the program opens what it can’t do', async () => {
  show('codex', [
    outside(spawn('codex')),
    script.status('codex', 'running'),
    connected(script, 'codex', { resume: false }),
    options(MODEL),
  ])
  await userEvent.click(screen.getByRole('button', { name: /about this program/ }))
  const facts = screen.getByRole('dialog', { name: 'About codex' })
  expect(facts.textContent).toContain('ModelBig 5')
  expect(facts.textContent).toContain('can’t resume its session')
  expect(facts.textContent).toContain('does not report its cost')
  expect(facts.textContent).not.toContain('takes no images')
})

test('its own model and mode are chosen below the transcript, from the keyboard too', async () => {
  show(
    'codex',
    codex(() => options(MODE, MODEL)),
  )
  const mode = screen.getByRole('button', { name: 'Mode: Always ask' })
  mode.focus()
  await userEvent.keyboard('{Enter}')
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /^Auto/ }))
  expect(bridge.inputsOf('agent.setProgramOption')).toEqual([
    { conversationId: 'c1', agentId: 'codex', optionId: 'mode', value: 'auto' },
  ])
  await userEvent.click(screen.getByRole('button', { name: 'Model: Big 5' }))
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /^Big 5/ }))
  expect(bridge.inputsOf('agent.setProgramOption')).toHaveLength(1)
})

test('a refused choice is told', async () => {
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  show(
    'codex',
    codex(() => options(MODE)),
  )
  bridge.answer({
    'agent.setProgramOption': () => {
      throw new Error('codex has ended.')
    },
  })
  await userEvent.click(screen.getByRole('button', { name: 'Mode: Always ask' }))
  await userEvent.click(await screen.findByRole('menuitemradio', { name: /^Auto/ }))
  await expect.poll(() => notices).toEqual(['codex has ended.'])
  stop()
})

const commands = () =>
  script.next('codex', {
    type: 'program-commands',
    commands: [
      { name: 'compact', description: 'Shortens.', hint: null },
      { name: 'review', description: 'Reviews.', hint: 'number' },
    ],
  })

test('its commands are completed in the message field and sent as they are', async () => {
  show('codex', codex(commands))
  const field = screen.getByRole('textbox', { name: 'Message codex' })
  await userEvent.type(field, '/re')
  const list = screen.getByRole('listbox', { name: 'Commands of codex' })
  expect(
    within(list)
      .getAllByRole('option')
      .map(({ textContent }) => textContent),
  ).toEqual(['/review numberReviews.'])
  await userEvent.keyboard('{Enter}')
  expect(bridge.inputsOf('conversation.send')).toEqual([])
  await userEvent.keyboard('7{Enter}')
  await expect
    .poll(() => bridge.inputsOf('conversation.send'))
    .toEqual([{ conversationId: 'c1', agentId: 'codex', content: '/review 7' }])
  expect(bridge.inputsOf('slash.expand')).toEqual([])
})

test('Escape closes the list and keeps the text; the arrow keys choose', async () => {
  show('codex', codex(commands))
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Message codex' })
  await userEvent.type(field, '/')
  await userEvent.keyboard('{ArrowDown}')
  expect(screen.getByRole('option', { selected: true }).textContent).toContain('/review')
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(field.value).toBe('/')
  expect(document.activeElement).toBe(field)
})

test('the ways to log in are buttons; a terminal’s command can be copied', async () => {
  const none = { description: '', command: null, variables: [] }
  show(
    'codex',
    codex(() =>
      wantsLogin(script, 'codex', [
        { ...none, id: 'web', name: 'Log in with ChatGPT', description: 'Opens a browser.', kind: 'agent' },
        { ...none, id: 'term', name: 'In a terminal', kind: 'terminal', command: 'codex login' },
        { ...none, id: 'key', name: 'A key', kind: 'environment', variables: ['OPENAI_API_KEY'] },
      ]),
    ),
  )
  const card = screen.getByRole('group', { name: 'codex needs a login' })
  expect(card.textContent).toContain('Opens a browser.')
  expect(card.textContent).toContain('Save OPENAI_API_KEY under Settings › External agents, or set it before')
  within(card).getByRole('button', { name: 'Log in with ChatGPT' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(bridge.inputsOf('agent.login')).toEqual([
    { conversationId: 'c1', agentId: 'codex', methodId: 'web' },
  ])
  const write = vi.fn(async () => {})
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: write }, configurable: true })
  await userEvent.click(within(card).getByRole('button', { name: 'Copy command' }))
  expect(write).toHaveBeenCalledWith('codex login')
  await userEvent.click(within(card).getByRole('button', { name: 'I’m logged in' }))
  expect(bridge.inputsOf('agent.login').at(-1)).toMatchObject({ methodId: 'term' })
})

test('a login without methods says what to do; a connection ends the card', () => {
  const card = () => screen.queryByRole('group', { name: 'codex needs a login' })
  const history = codex(() => wantsLogin(script, 'codex', []))
  show('codex', history)
  expect(card()?.textContent).toContain('Start it in a terminal')
  cleanup()
  show('codex', [...history, connected(script, 'codex')])
  expect(card()).toBeNull()
})

test('a subagent of a program can be stopped where the program allows it, and never messaged', async () => {
  const parent = codex()
  show('tests', parent, childOf(script, 'tests', { parentId: 'codex', canStop: true }))
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(screen.getByRole('article').textContent).toContain('Only “codex” can send it messages.')
  expect(screen.getByRole('button', { name: 'Stop' }).hasAttribute('data-disabled')).toBe(false)
  expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
})

test('a subagent that can’t be stopped by itself says why, on its button and its key', async () => {
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  const parent = codex()
  const root = show('tests', parent, childOf(script, 'tests', { parentId: 'codex', canStop: false }))
  const button = screen.getByRole('button', { name: 'Stop' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  expect(button.getAttribute('aria-description')).toBe('“look” can’t be stopped by itself. Stop “codex”.')
  const reason = '“look” can’t be stopped by itself. Stop “codex”.'
  for (const [index, focused] of [root, button].entries()) {
    focused.focus()
    await userEvent.keyboard('{Control>}{Shift>}s{/Shift}{/Control}')
    expect(notices).toEqual(Array(index + 1).fill(reason))
  }
  expect(bridge.inputsOf('agent.stop')).toEqual([])
  stop()
})

test('a plan starts open with check marks', () => {
  const todos = [
    { content: 'Look', status: 'completed' as const, activeForm: '' },
    { content: 'Fix', status: 'in_progress' as const, activeForm: '' },
  ]
  show(
    'codex',
    codex(() => ({ ...script.toolEnds('codex', 't1'), display: { kind: 'todos', todos } }) as AgentEvent),
  )
  const plan = screen.getByRole('list', { name: 'Plan' })
  expect(within(plan).getAllByRole('listitem')).toHaveLength(2)
  expect(screen.getByRole('button', { name: /Plan.*1 of 2/ })).toBeTruthy()
})

test('the strip says what it waits for, and explains its mode; a subagent names the program above it', () => {
  const mode = show(
    'codex',
    codex(() => options(MODE)),
  )
  expect(within(mode).getByText('asks before it writes').title).toBe(
    'Mode: Always ask. asks before it writes',
  )
  cleanup()
  const ended = show('codex', [
    outside(spawn('codex')),
    script.next('codex', {
      ...{ type: 'agent-ended', status: 'failed', report: '', failure: null },
      ...{ reachedLimit: null, limitOf: null },
    }),
  ])
  expect(ended.textContent).toContain('not connected')
  cleanup()
  const locked = show('codex', [outside(spawn('codex')), wantsLogin(script, 'codex', [])])
  expect(within(locked).getByText('needs a login', { exact: true })).toBeTruthy()
  cleanup()
  show('tests', codex(), childOf(script, 'tests', { parentId: 'codex', canStop: true }))
  expect(screen.getByText('subagent of “codex”')).toBeTruthy()
})

test('further options share a menu, and in a narrow panel one menu has all of them', async () => {
  const effort = { ...MODE, id: 'effort', name: 'Effort', category: 'other' as const }
  show(
    'codex',
    codex(() => options(effort, MODEL)),
  )
  const headings = async (menu: string) => {
    await userEvent.click(screen.getByRole('button', { name: menu }))
    const listed = (await screen.findByRole('menu')).textContent
    await userEvent.keyboard('{Escape}')
    return listed
  }
  expect(await headings('More options')).toBe('EffortAlways askasks before it writesAuto')
  expect(await headings('Options')).toBe('EffortAlways askasks before it writesAutoModelBig 5Small 5')
})

test('a choice and a login are sent once until they are answered', async () => {
  const web = { id: 'web', name: 'Log in\u202e', description: '', kind: 'agent' as const }
  show(
    'codex',
    codex(() => wantsLogin(script, 'codex', [{ ...web, command: null, variables: [] }])),
  )
  const answered = deferred<void>()
  bridge.answer({ 'agent.login': () => answered.promise })
  const button = screen.getByRole('button', { name: /^Log in/ })
  // Hidden characters of the program are shown.
  expect(button.textContent).not.toContain('\u202e')
  await userEvent.click(button)
  expect(button.getAttribute('aria-busy')).toBe('true')
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await userEvent.click(button)
  expect(bridge.inputsOf('agent.login')).toHaveLength(1)
  await act(async () => answered.resolve())
  expect(button.getAttribute('aria-busy')).toBe('false')
  fireEvent.click(button, { detail: 2 })
  expect(bridge.inputsOf('agent.login')).toHaveLength(1)
})

test('several variables are named together, and a refused copy is told', async () => {
  const none = { name: 'x', description: '', command: null, variables: [] }
  show(
    'codex',
    codex(() =>
      wantsLogin(script, 'codex', [
        { ...none, id: 'keys', kind: 'environment', variables: ['A_KEY', 'A_SECRET'] },
        { ...none, id: 'term', kind: 'terminal', command: 'codex login' },
      ]),
    ),
  )
  expect(screen.getByRole('group', { name: 'codex needs a login' }).textContent).toMatch(
    /Save A_KEY and A_SECRET under .*them/,
  )
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  const writeText = () => Promise.reject(new Error('no'))
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
  Object.defineProperty(document, 'execCommand', { value: () => false, configurable: true })
  await userEvent.click(screen.getByRole('button', { name: 'Copy command' }))
  await expect.poll(() => notices).toEqual(['The system did not allow copying.'])
  stop()
})

test('a login command with hidden characters is not copied', async () => {
  const none = { name: 'x', description: '', variables: [] }
  const command = 'codex login \u202erm'
  show(
    'codex',
    codex(() => wantsLogin(script, 'codex', [{ ...none, id: 'term', kind: 'terminal', command }])),
  )
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  const writeText = vi.fn(async () => {})
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
  expect(screen.getByRole('group', { name: 'codex needs a login' }).textContent).toContain('RLO')
  await userEvent.click(screen.getByRole('button', { name: 'Copy command' }))
  expect(notices).toEqual([expect.stringContaining('hidden characters')])
  expect(writeText).not.toHaveBeenCalled()
  stop()
})
