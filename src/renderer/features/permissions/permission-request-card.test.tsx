import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
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

// Keys are ignored for a moment after a request appears, so the tests advance the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const OK: Answer<void> = { ok: true, value: undefined }

function ask(more: Partial<PermissionRequestCardProps> = {}, passed = 1000) {
  const onAnswer = vi.fn(async () => OK)
  const view = render(
    <section data-request-scope="" tabIndex={-1} aria-label="panel">
      <input aria-label="line" />
      <PermissionRequestCard agentName="refactorer" request={{ ...REQUEST }} onAnswer={onAnswer} {...more} />
    </section>,
  )
  vi.advanceTimersByTime(passed)
  return {
    ...view,
    onAnswer,
    card: screen.getByRole('group', { name: /refactorer wants to run a command/ }),
  }
}

test('shows the agent, the action, the folder, the reason and the rule of “Always allow”', () => {
  const { card } = ask()
  expect(card.textContent).toContain('refactorer wants to run a command in refactorer-a91e')
  expect(screen.getByTitle('/work/trees/refactorer-a91e')).toBeTruthy()
  expect(card.textContent).toContain('npm run db:migrate')
  expect(card.textContent).toContain(
    'No rule allows it. “Always allow” permits Bash(npm run db:migrate) from now on.',
  )
})

test('invisible and direction-changing characters are spelled out', () => {
  const { card } = ask({
    request: {
      ...REQUEST,
      subject: { ...REQUEST.subject, text: 'echo \u202e/ fr- mr\x1b[2K', folder: '/w/a\u200bb' },
    },
  })
  expect(card.querySelector('pre')?.textContent).toBe('echo RLO/ fr- mrESC[2K')
  expect(card.textContent).toContain('in aZWSPb')
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

test('a file change is a diff', () => {
  ask({
    request: {
      ...REQUEST,
      subject: { kind: 'diff', action: 'run a command', text: '@@ -1 +1 @@\n-a\n+b', folder: '/w' },
    },
  })
  expect(screen.getByRole('region', { name: 'Proposed change' }).textContent).toBe('1−a1+b')
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

  test('a key pressed just after the request appears answers nothing', () => {
    const { onAnswer, card } = ask({}, 100)
    fireEvent.keyDown(card, { key: 'a' })
    expect(onAnswer).not.toHaveBeenCalled()
    vi.advanceTimersByTime(400)
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
    expect(card.textContent).toContain('“Always allow” permits Bash(npm run:*)')
    vi.advanceTimersByTime(500)
    await act(async () => {
      fireEvent.keyDown(card, { key: 'A', shiftKey: true })
    })
    expect(onAnswer.mock.calls).toEqual([[{ decision: 'allow-always', feedback: null, rule: wide.rule }]])
  })

  test('“Always allow” is absent when the request has no rule to save', () => {
    const { onAnswer, card } = ask({ request: { ...REQUEST, alwaysRule: null } })
    expect(screen.queryByRole('button', { name: /Always/ })).toBeNull()
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
