import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'
import { PermissionRequestCard, type PermissionRequestCardProps } from './permission-request-card.tsx'

const REQUEST: PendingRequest = {
  requestId: 'p1',
  toolUseId: 't1',
  toolName: 'Bash',
  subject: {
    kind: 'command',
    action: 'run a command',
    text: 'npm run db:migrate',
    folder: '/work/trees/refactorer-a91e',
  },
  because: 'No rule allows it.',
  alwaysRule: 'Bash(npm run db:migrate)',
  askedAt: 0,
}

// Presses are ignored for a moment after a request appears, so the tests advance the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const OK: Answer<void> = { ok: true, value: undefined }

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))

function ask(
  more: Partial<PermissionRequestCardProps> = {},
  passed = 1000,
  name = /refactorer wants to run/,
) {
  const onAnswer = vi.fn(async () => OK)
  const view = render(
    <section data-request-scope="" tabIndex={-1} aria-label="panel">
      <input aria-label="line" />
      <PermissionRequestCard agentName="refactorer" request={{ ...REQUEST }} onAnswer={onAnswer} {...more} />
    </section>,
  )
  pass(passed)
  return {
    ...view,
    onAnswer,
    card: screen.getByRole('group', { name }),
  }
}

test('says what the agent wants, and on one quiet line why it is asked; the rest is behind Why', () => {
  const { card } = ask({ mode: 'Accept edits' })
  expect(card.textContent).toContain('Wants to run a command')
  expect(card.textContent).toContain('npm run db:migrate')
  expect(card.textContent).toContain('No rule allows it.')
  expect(card.textContent).not.toContain('/work/trees')
  fireEvent.click(screen.getByRole('button', { name: 'Why' }))
  const why = screen.getByRole('list', { name: 'Why it is asked' }).textContent
  expect(why).toContain('Folder: /work/trees/refactorer-a91e')
  expect(why).toContain('Permission mode: Accept edits.')
})

test('a command line is shown part by part, the dangerous one first with its consequence', () => {
  const parts = [
    { text: 'npm run db:migrate', step: 1 },
    {
      text: 'rm -rf dist/*',
      step: 2,
      danger: { kind: 'deletes' as const, consequence: 'Deletes 214 files.' },
    },
  ]
  const text = 'npm run db:migrate && rm -rf dist/*'
  const { card } = ask({
    request: { ...REQUEST, alwaysRule: null, subject: { ...REQUEST.subject, text, parts } },
  })
  expect(card.textContent).toContain('Wants to run 2 commands')
  expect(screen.getAllByRole('listitem').map((part) => part.textContent)).toEqual([
    'rm -rf dist/*runs secondDeletes 214 files.',
    'npm run db:migrateruns first',
  ])
  expect(screen.getAllByRole('listitem')[0]?.dataset['danger']).toBe('deletes')
  expect(card.textContent).toContain('“Always allow” is off for deletions.')
  fireEvent.click(screen.getByRole('button', { name: 'Full command' }))
  expect(card.querySelector('pre')?.textContent).toBe(text)
})

test('a reason has no marks of its own: what stands between backticks is code', () => {
  const { card } = ask({ request: { ...REQUEST, because: 'No rule allows `rm` here.' } })
  expect(card.textContent).toContain('No rule allows rm here.')
  expect(card.querySelector('p code')?.textContent).toBe('rm')
})

test('invisible and direction-changing characters are spelled out', () => {
  const { card } = ask({
    request: {
      ...REQUEST,
      subject: { ...REQUEST.subject, text: 'echo \u202e/ fr- mr\x1b[2K', folder: '/w/a\u200bb' },
    },
  })
  expect(card.querySelector('pre')?.textContent).toBe('echo RLO/ fr- mrESC[2K')
  fireEvent.click(screen.getByRole('button', { name: 'Why' }))
  expect(card.textContent).toContain('Folder: /w/aZWSPb')
})

test('each argument of a command is one box, which no line break divides', () => {
  const command = `git commit --no-verify -m "a -> b" && npm test`
  const { card } = ask({ request: { ...REQUEST, subject: { ...REQUEST.subject, text: command } } })
  const pre = card.querySelector('pre')
  expect(pre?.textContent).toBe(command)
  const boxes = [...(pre?.children ?? [])].map((box) => [
    box.textContent,
    box.classList.contains('inline-block'),
  ])
  expect(boxes).toEqual(
    ['git', 'commit', '--no-verify', '-m', '"a -> b"', '&&', 'npm', 'test'].map((word) => [word, true]),
  )
})

/** A change of `lines` added lines. */
const edit = (lines: number) => ({
  kind: 'diff' as const,
  action: 'write src/a.ts',
  text: `@@ -1 +1,${lines} @@\n-a\n${Array.from({ length: lines }, (_, at) => `+line ${at}`).join('\n')}`,
  folder: '/w',
})
const askEdit = (lines: number) =>
  ask({ request: { ...REQUEST, toolName: 'Edit', subject: edit(lines) } }, 1000, /wants to edit src/)

test('a change names its file and its lines, and shows eight of them before the rest', () => {
  const { card } = askEdit(13)
  expect(card.textContent).toContain('Wants to editsrc/a.ts+13 −1')
  expect(screen.getByText('line 5')).toBeTruthy()
  expect(screen.queryByText('line 12')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: /more lines/ }))
  expect(screen.getByText('line 12')).toBeTruthy()
})

test('a change opens large, whole, and can be answered there', async () => {
  const { onAnswer } = askEdit(40)
  fireEvent.click(screen.getByRole('button', { name: 'Open large' }))
  const dialog = within(screen.getByRole('dialog', { name: 'refactorer' }))
  expect(dialog.getByText('line 39')).toBeTruthy()
  pass(500)
  await act(async () => fireEvent.click(dialog.getByRole('button', { name: /Allow once/ })))
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: 'allow-once', feedback: null })
})

describe('the keyboard', () => {
  test.each([
    ['a', {}, { decision: 'allow-once', feedback: null }],
    ['A', { shiftKey: true }, { decision: 'allow-always', feedback: null }],
  ] as const)('%s answers while the request or its button has the focus', async (key, modifiers, answer) => {
    const { onAnswer } = ask()
    await act(async () => {
      fireEvent.keyDown(screen.getByRole('button', { name: /Deny/ }), { key, ...modifiers })
    })
    expect(onAnswer.mock.calls).toEqual([[answer]])
  })

  test.each(['a', 'A', 'd'])('%s answers nothing while the panel around the request has the focus', (key) => {
    const { onAnswer } = ask()
    fireEvent.keyDown(screen.getByLabelText('panel'), { key, shiftKey: key === 'A' })
    expect(onAnswer).not.toHaveBeenCalled()
    expect(screen.queryByRole('textbox', { name: /Feedback/ })).toBeNull()
  })

  test('D opens the feedback field; Enter denies with the feedback, Escape goes back', async () => {
    const { onAnswer, card } = ask()
    fireEvent.keyDown(card, { key: 'd' })
    const field = screen.getByRole('textbox', { name: 'Feedback for refactorer' })
    expect(document.activeElement).toBe(field)
    fireEvent.keyDown(field, { key: 'Escape' })
    expect(screen.queryByRole('textbox', { name: /Feedback/ })).toBeNull()
    expect(document.activeElement).toBe(card)
    pass(400)
    fireEvent.keyDown(card, { key: 'd' })
    const again = screen.getByRole('textbox', { name: /Feedback/ })
    fireEvent.change(again, { target: { value: '  use a new table ' } })
    fireEvent.keyDown(again, { key: 'Enter', shiftKey: true })
    expect(onAnswer).not.toHaveBeenCalled()
    await act(async () => {
      fireEvent.keyDown(again, { key: 'Enter' })
    })
    expect(onAnswer.mock.calls).toEqual([[{ decision: 'deny', feedback: 'use a new table' }]])
  })

  test('typed text, modified keys and repeated keys answer nothing', () => {
    const { onAnswer, card } = ask()
    fireEvent.keyDown(screen.getByLabelText('line'), { key: 'a' })
    fireEvent.keyDown(card, { key: 'a', ctrlKey: true })
    fireEvent.keyDown(card, { key: 'a', repeat: true })
    expect(onAnswer).not.toHaveBeenCalled()
  })

  test('a key or a click just after the request appears answers nothing, and goes nowhere else', () => {
    const { onAnswer, card } = ask({}, 100)
    const reached = vi.fn()
    screen.getByLabelText('panel').addEventListener('keydown', reached)
    fireEvent.keyDown(card, { key: 'a' })
    fireEvent.click(screen.getByRole('button', { name: /Allow once/ }))
    expect(onAnswer).not.toHaveBeenCalled()
    expect(reached).not.toHaveBeenCalled()
    pass(400)
    fireEvent.keyDown(card, { key: 'a' })
    expect(onAnswer).toHaveBeenCalledTimes(1)
  })

  test('W says why at once, and a number chooses the rule that Shift A adds', async () => {
    const wide = { rule: 'Bash(npm run:*)', alsoCovers: 'every script' }
    const ruleOffers = [{ rule: 'Bash(npm run db:migrate)' }, wide]
    const { card, onAnswer } = ask({ mode: 'Accept edits', request: { ...REQUEST, ruleOffers } }, 0)
    fireEvent.keyDown(card, { key: 'w' })
    expect(screen.getByRole('list', { name: 'Why it is asked' }).textContent).toContain('Accept edits')
    fireEvent.keyDown(card, { key: '2' })
    expect(screen.getByRole('radio', { checked: true }).closest('label')?.textContent).toContain(
      'Bash(npm run:*)',
    )
    pass(500)
    await act(async () => {
      fireEvent.keyDown(card, { key: 'A', shiftKey: true })
    })
    expect(onAnswer.mock.calls).toEqual([[{ decision: 'allow-always', feedback: null, rule: wide.rule }]])
  })

  test('“Always allow” keeps its place and is disabled when no rule can be saved', () => {
    const { onAnswer, card } = ask({ request: { ...REQUEST, alwaysRule: null } })
    const always = screen.getByRole('button', { name: /Always allow/ })
    expect(always.getAttribute('aria-disabled') ?? always.hasAttribute('disabled')).toBeTruthy()
    expect(always.title).toContain('No rule can allow this')
    fireEvent.click(always)
    fireEvent.keyDown(card, { key: 'A', shiftKey: true })
    expect(onAnswer).not.toHaveBeenCalled()
  })
})

describe('the focus', () => {
  test('stays where it is when a request appears: the user may be about to type', () => {
    ask()
    expect(document.activeElement).toBe(document.body)
  })

  test('returns to the panel after the answer', () => {
    const { rerender, card } = ask()
    card.focus()
    rerender(<section data-request-scope="" tabIndex={-1} aria-label="panel" />)
    expect(document.activeElement).toBe(screen.getByLabelText('panel'))
  })

  test('keys of an answer that come after the last one go nowhere; a moment later the panel has them again', () => {
    const reached: string[] = []
    const onKey = ({ key }: KeyboardEvent) => reached.push(key)
    const { rerender, card } = ask()
    card.focus()
    rerender(<section data-request-scope="" tabIndex={-1} aria-label="panel" />)
    const panel = screen.getByLabelText('panel')
    panel.addEventListener('keydown', onKey)
    for (const key of ['a', 'a', 'D']) fireEvent.keyDown(panel, { key })
    expect(reached).toEqual([])
    pass(2000)
    fireEvent.keyDown(panel, { key: 'a' })
    expect(reached).toEqual(['a'])
  })
})

test('a double click answers once; a failed answer shows its message and can be retried', async () => {
  const answers: Answer<void>[] = [{ ok: false, failure: { type: 'x', message: 'The agent is gone.' } }, OK]
  const onAnswer = vi.fn(async () => answers.shift() ?? OK)
  ask({ onAnswer })
  const button = screen.getByRole('button', { name: /Allow once/ })
  await act(async () => {
    fireEvent.click(button)
    fireEvent.click(button)
  })
  expect(onAnswer).toHaveBeenCalledTimes(1)
  expect(screen.getByRole('alert').textContent).toBe('The agent is gone.')
  await act(async () => {
    fireEvent.click(button)
  })
  expect(onAnswer).toHaveBeenCalledTimes(2)
})

test('a request is read-only while another program has the conversation open', () => {
  const { card, onAnswer } = ask({ answerable: false })
  expect(screen.queryByRole('button', { name: /Allow|Deny/ })).toBeNull()
  fireEvent.keyDown(card, { key: 'a' })
  expect(onAnswer).not.toHaveBeenCalled()
  expect(card.textContent).toContain('This conversation is open in another program.')
})

test('answers of the agent’s program are buttons, and what it keeps is no rule', () => {
  const choices = [{ id: 'session', name: 'This session', kind: 'always' as const }]
  const { card, onAnswer } = ask({ request: { ...REQUEST, choices } })
  fireEvent.click(screen.getByRole('button', { name: 'Why' }))
  expect(card.textContent).toContain('“This session” is kept by refactorer, and is not one of your rules.')
  const own = screen.getByRole('button', { name: 'This session' })
  // The plug tells it from Troupe's own answers.
  expect(own.querySelector('.lucide-plug')).not.toBeNull()
  expect(screen.getByRole('button', { name: /Allow once/ }).querySelector('.lucide-plug')).toBeNull()
  fireEvent.click(own)
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith({
    decision: 'allow-once',
    feedback: null,
    choice: 'session',
  })
})

test('an answer of the program that allows once stands for the plain permission', () => {
  const choices = [
    { id: 'auto', name: 'Yes, accept edits', kind: 'always' as const },
    { id: 'ask', name: 'Yes, ask me', kind: 'once' as const },
    { id: 'never', name: 'Never', kind: 'deny' as const },
  ]
  const { onAnswer } = ask({ request: { ...REQUEST, choices } })
  expect(screen.queryByRole('button', { name: /Allow once/ })).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Never' }))
  expect(onAnswer).toHaveBeenCalledExactlyOnceWith({ decision: 'deny', feedback: null, choice: 'never' })
})
