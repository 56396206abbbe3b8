import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PendingPrompt } from '../../../shared/agent-state.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import { PermissionPrompt, type PermissionPromptProps } from './permission-prompt.tsx'

const PROMPT: PendingPrompt = {
  promptId: 'p1',
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

// The keys of a question do nothing in its first moments: the clock is moved on by hand.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const OK: Answer<void> = { ok: true, value: undefined }

function ask(more: Partial<PermissionPromptProps> = {}, passed = 1000) {
  const onAnswer = vi.fn(async () => OK)
  const view = render(
    <section data-prompt-scope="" tabIndex={-1} aria-label="panel">
      <input aria-label="line" />
      <PermissionPrompt agentName="refactorer" prompt={{ ...PROMPT }} onAnswer={onAnswer} {...more} />
    </section>,
  )
  vi.advanceTimersByTime(passed)
  return {
    ...view,
    onAnswer,
    card: screen.getByRole('group', { name: /refactorer wants to run a command/ }),
  }
}

test('says who wants what in which folder, why it asks, and what “always” would allow', () => {
  const { card } = ask()
  expect(card.textContent).toContain('refactorer wants to run a command in refactorer-a91e')
  expect(screen.getByTitle('/work/trees/refactorer-a91e')).toBeTruthy()
  expect(card.textContent).toContain('npm run db:migrate')
  expect(card.textContent).toContain(
    'No rule allows it. “Always” allows Bash(npm run db:migrate) from now on.',
  )
})

test('characters that hide or turn text are spelt out in everything that is shown', () => {
  const { card } = ask({
    prompt: {
      ...PROMPT,
      subject: { ...PROMPT.subject, text: 'echo \u202e/ fr- mr\x1b[2K', folder: '/w/a\u200bb' },
    },
  })
  expect(card.querySelector('pre')?.textContent).toBe('echo RLO/ fr- mrESC[2K')
  expect(card.textContent).toContain('in aZWSPb')
})

test('a change is shown as a diff', () => {
  ask({
    prompt: {
      ...PROMPT,
      subject: { kind: 'diff', action: 'run a command', text: '@@ -1 +1 @@\n-a\n+b', folder: '/w' },
    },
  })
  expect(screen.getByRole('region', { name: 'What would change' }).textContent).toBe('1−a1+b')
})

describe('the keyboard', () => {
  test.each([
    ['a', {}, ['allow-once', null]],
    ['A', { shiftKey: true }, ['allow-always', null]],
  ] as const)('%s answers while the panel has the focus', async (key, modifiers, answer) => {
    const { onAnswer } = ask()
    await act(async () => {
      fireEvent.keyDown(screen.getByLabelText('panel'), { key, ...modifiers })
    })
    expect(onAnswer.mock.calls).toEqual([answer])
  })

  test('D asks for words; Enter sends them with the denial, Escape goes back', async () => {
    const { onAnswer, card } = ask()
    fireEvent.keyDown(card, { key: 'd' })
    const field = screen.getByRole('textbox', { name: 'What refactorer should do instead' })
    expect(document.activeElement).toBe(field)
    fireEvent.keyDown(field, { key: 'Escape' })
    expect(screen.queryByRole('textbox', { name: /instead/ })).toBeNull()
    expect(document.activeElement).toBe(card)
    fireEvent.keyDown(card, { key: 'd' })
    const again = screen.getByRole('textbox', { name: /instead/ })
    fireEvent.change(again, { target: { value: '  use a new table ' } })
    fireEvent.keyDown(again, { key: 'Enter', shiftKey: true })
    expect(onAnswer).not.toHaveBeenCalled()
    await act(async () => {
      fireEvent.keyDown(again, { key: 'Enter' })
    })
    expect(onAnswer.mock.calls).toEqual([['deny', 'use a new table']])
  })

  test('letters that are written somewhere answer nothing', () => {
    const { onAnswer } = ask()
    fireEvent.keyDown(screen.getByLabelText('line'), { key: 'a' })
    fireEvent.keyDown(screen.getByLabelText('panel'), { key: 'a', ctrlKey: true })
    fireEvent.keyDown(screen.getByLabelText('panel'), { key: 'a', repeat: true })
    expect(onAnswer).not.toHaveBeenCalled()
  })

  test('a key that was meant for what stood there before answers nothing', () => {
    const { onAnswer, card } = ask({}, 100)
    fireEvent.keyDown(card, { key: 'a' })
    expect(onAnswer).not.toHaveBeenCalled()
    vi.advanceTimersByTime(400)
    fireEvent.keyDown(card, { key: 'a' })
    expect(onAnswer).toHaveBeenCalledTimes(1)
  })

  test('“always” is not there where it can not be offered', () => {
    const { onAnswer, card } = ask({ prompt: { ...PROMPT, alwaysRule: null } })
    expect(screen.queryByRole('button', { name: /Always/ })).toBeNull()
    fireEvent.keyDown(card, { key: 'A', shiftKey: true })
    expect(onAnswer).not.toHaveBeenCalled()
  })
})

describe('the focus', () => {
  test('moves to a new question', () => {
    const { card } = ask()
    expect(document.activeElement).toBe(card)
  })

  test('stays with who writes', () => {
    const field = document.createElement('textarea')
    document.body.append(field)
    field.focus()
    ask()
    expect(document.activeElement).toBe(field)
    field.remove()
  })

  test('stays with the question that was there first', () => {
    const { card } = ask()
    render(
      <PermissionPrompt agentName="other" prompt={{ ...PROMPT, promptId: 'p2' }} onAnswer={async () => OK} />,
    )
    expect(document.activeElement).toBe(card)
  })

  test('stays where it is while a card is only drawn in another place', () => {
    const prompt = { ...PROMPT }
    const { unmount } = ask({ prompt })
    unmount()
    const { card } = ask({ prompt })
    expect(document.activeElement).not.toBe(card)
  })

  test('goes back to the panel once the question is answered', () => {
    const { rerender } = ask()
    rerender(<section data-prompt-scope="" tabIndex={-1} aria-label="panel" />)
    expect(document.activeElement).toBe(screen.getByLabelText('panel'))
  })
})

test('an answer is sent once; what went wrong is told, and it can be tried again', async () => {
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

test('a question of a conversation that another program holds can only be read', () => {
  const { card, onAnswer } = ask({ answerable: false })
  expect(screen.queryByRole('button')).toBeNull()
  fireEvent.keyDown(card, { key: 'a' })
  expect(onAnswer).not.toHaveBeenCalled()
  expect(card.textContent).toContain('Another program holds this conversation')
})
