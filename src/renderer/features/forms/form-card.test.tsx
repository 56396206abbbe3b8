import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FormAnswer, FormContent } from '../../../shared/forms/form.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { FormCard } from './agent-forms.tsx'

let bridge: FakeBridge
let forms = 0

// Keys are ignored for a moment after a form appears, so the tests advance the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  bridge = installFakeBridge({})
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

interface Choices {
  readonly formId?: string
  readonly passed?: number
  readonly answerable?: boolean
}

function open(form: FormContent, { formId = `f${++forms}`, passed = 1000, answerable = true }: Choices = {}) {
  const onAnswer = vi.fn(async (_: FormAnswer): Promise<Answer<void>> => ({ ok: true, value: undefined }))
  render(
    <section data-request-scope="" tabIndex={-1} aria-label="panel">
      <FormCard
        agentName="Main agent"
        pending={{ formId, toolUseId: 't1', toolName: 'X', form, openedAt: 0 }}
        answerable={answerable}
        renderMarkdown={(text) => <p>{text}</p>}
        onAnswer={onAnswer}
      />
    </section>,
  )
  vi.advanceTimersByTime(passed)
  const card = document.querySelector<HTMLElement>('[data-form]')
  if (card === null) throw new Error('no card')
  act(() => card.focus())
  return { onAnswer, card, given: () => onAnswer.mock.lastCall?.[0] }
}

const press = async (key: string, more: object = {}) => {
  await act(async () => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more })
  })
}
const type = (element: Element, value: string) =>
  act(() => void fireEvent.change(element, { target: { value } }))
const accepted = (values: object) => ({ action: 'accept', values })

const DATABASE = {
  question: 'Which database?',
  header: 'Database',
  options: [
    { label: 'Postgres', description: 'Runs already.' },
    { label: 'SQLite', description: '' },
  ],
  multiSelect: false,
}
const PARTS = {
  question: 'Which parts?',
  header: 'Parts',
  options: [
    { label: 'Server', description: '' },
    { label: 'Client', description: '' },
  ],
  multiSelect: true,
}
const questions = (...asked: (typeof DATABASE)[]): FormContent => ({ kind: 'questions', questions: asked })

describe('questions', () => {
  test('a digit chooses, Enter sends', async () => {
    const { given, card } = open(questions(DATABASE))
    expect(card.textContent).toContain('Main agent asks you')
    await press('2')
    await press('Enter')
    expect(given()).toEqual(accepted({ 'Which database?': 'SQLite' }))
  })

  test('keys of the first moment, and keys outside the card, choose nothing', async () => {
    const { onAnswer } = open(questions(DATABASE), { passed: 100 })
    await press('1')
    expect(screen.getByRole<HTMLInputElement>('radio', { name: /Postgres/ }).checked).toBe(false)
    screen.getByLabelText('panel').focus()
    vi.advanceTimersByTime(1000)
    await press('1')
    await press('Enter')
    expect(onAnswer).not.toHaveBeenCalled()
  })

  test('a choice shows the next open question; Enter sends once all are answered', async () => {
    const { given } = open(questions(DATABASE, PARTS))
    await press('1')
    expect(screen.getByRole('group', { name: /Which parts/ })).toBeTruthy()
    await press('Enter')
    expect(screen.getByRole('alert').textContent).toBe('Choose an option, or write your own answer.')
    await press('2')
    await press('1')
    await press('Enter')
    expect(given()).toEqual(accepted({ 'Which database?': 'Postgres', 'Which parts?': ['Client', 'Server'] }))
  })

  test('arrows and tabs go back to an answer, and a digit takes a choice of several back', async () => {
    const { given } = open(questions(PARTS, DATABASE))
    await press('1')
    await press('2')
    await press('2')
    await press('ArrowRight')
    expect(screen.getByText('Which database?')).toBeTruthy()
    fireEvent.click(screen.getByRole('button', { name: /Parts/ }))
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Server/ }).checked).toBe(true)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Client/ }).checked).toBe(false)
    act(() => document.querySelector<HTMLElement>('[data-form]')?.focus())
    await press('Enter')
    await press('1')
    await press('Enter')
    expect(given()).toEqual(accepted({ 'Which parts?': ['Server'], 'Which database?': 'Postgres' }))
  })

  test('the user’s own text replaces a choice, and digits in it are text', async () => {
    const { given, onAnswer } = open(questions(DATABASE))
    await press('1')
    await press('3')
    const field = screen.getByLabelText('Your own answer')
    expect(document.activeElement).toBe(field)
    await press('1')
    type(field, 'MySQL 8')
    await press('Enter', { isComposing: true })
    expect(onAnswer).not.toHaveBeenCalled()
    await press('Enter')
    expect(given()).toEqual(accepted({ 'Which database?': 'MySQL 8' }))
  })

  test('Escape leaves the field, then the card; the form stays open with its text', async () => {
    const { onAnswer, card } = open(questions(DATABASE), { formId: 'kept' })
    await press('3')
    type(screen.getByLabelText('Your own answer'), 'Later')
    await press('Escape')
    expect(document.activeElement).toBe(card)
    await press('Escape')
    expect(document.activeElement).toBe(screen.getByLabelText('panel'))
    expect(onAnswer).not.toHaveBeenCalled()
    cleanup()
    open(questions(DATABASE), { formId: 'kept' })
    expect(screen.getByLabelText<HTMLInputElement>('Your own answer').value).toBe('Later')
  })

  test('D declines with feedback', async () => {
    const { given } = open(questions(DATABASE))
    await press('d')
    const field = screen.getByLabelText('Feedback for Main agent')
    type(field, 'Ask later.')
    await press('Enter')
    expect(given()).toEqual({ action: 'decline', feedback: 'Ask later.' })
  })

  test('an answer is sent once, and a failure allows another', async () => {
    const { onAnswer } = open(questions(DATABASE))
    onAnswer.mockResolvedValueOnce({ ok: false, failure: { type: 'not-found', message: 'Gone.' } })
    await press('1')
    await press('Enter')
    expect(screen.getByRole('alert').textContent).toBe('Gone.')
    await act(async () => {
      const send = screen.getByRole('button', { name: /Send/ })
      fireEvent.click(send)
      fireEvent.click(send)
    })
    expect(onAnswer).toHaveBeenCalledTimes(2)
  })

  test('hidden characters are spelled out', () => {
    const hidden = { ...DATABASE, question: 'Pay\u202eoat?' }
    expect(open(questions(hidden)).card.textContent).toContain('RLO')
  })

  test('another program’s conversation cannot be answered here', async () => {
    const { onAnswer } = open(questions(DATABASE), { answerable: false })
    await press('1')
    await press('Enter')
    expect(screen.queryByRole('button')).toBeNull()
    expect(onAnswer).not.toHaveBeenCalled()
  })
})

describe('a plan', () => {
  const plan: FormContent = { kind: 'plan', plan: '1. Change a.ts' }

  test.each([
    ['a', {}, 'acceptEdits'],
    ['A', { shiftKey: true }, 'default'],
  ])('%s approves', async (key, more, mode) => {
    const { given } = open(plan)
    await press(key, more)
    expect(given()).toEqual(accepted({ plan: '1. Change a.ts', mode }))
  })

  test('E edits; the edited plan is sent, an empty one is not', async () => {
    const { given, onAnswer } = open(plan)
    await press('e')
    const field = screen.getByRole('textbox', { name: 'Plan' })
    expect(document.activeElement).toBe(field)
    type(field, ' ')
    expect(screen.getByText('The plan is empty.')).toBeTruthy()
    await press('Escape')
    await press('a')
    expect(onAnswer).not.toHaveBeenCalled()
    type(field, '1. Change b.ts')
    await press('a', { shiftKey: true })
    expect(given()).toEqual(accepted({ plan: '1. Change b.ts', mode: 'default' }))
  })

  test('D keeps planning, with feedback', async () => {
    const { given } = open(plan)
    await press('d')
    await press('Enter')
    expect(given()).toEqual({ action: 'decline', feedback: null })
  })
})

describe('the input of a server', () => {
  const form: FormContent = {
    kind: 'elicitation',
    server: 'tickets',
    message: 'See [here](https://evil.example)\u200b',
    schema: {
      properties: {
        mail: { type: 'string', format: 'email', title: 'Email' },
        amount: { type: 'integer', default: 2 },
        agree: { type: 'boolean' },
        color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'] },
        days: { type: 'array', items: { anyOf: [{ const: '1', title: 'Monday' }] } },
      },
      required: ['mail'],
    },
  }

  test('shows the server and its text as plain text', () => {
    const { card } = open(form)
    expect(card.textContent).toContain('The MCP server tickets asks: See [here](https://evil.example)')
    expect(card.textContent).toContain('ZWSP')
    expect(screen.queryByRole('link')).toBeNull()
  })

  test('is checked before it is sent, with the error at the field', async () => {
    const { given, onAnswer } = open(form)
    await press('Enter')
    const mail = screen.getByLabelText('Email (required)')
    expect(screen.getByText('Required.')).toBeTruthy()
    expect(document.activeElement).toBe(mail)
    type(mail, 'ada')
    await press('Enter')
    expect(screen.getByText('Not an email address.')).toBeTruthy()
    expect(onAnswer).not.toHaveBeenCalled()
    type(mail, 'ada@example.com')
    fireEvent.click(screen.getByLabelText('agree'))
    type(screen.getByLabelText('color'), 'g')
    fireEvent.click(screen.getByLabelText('Monday'))
    await press('Enter')
    expect(given()).toEqual(
      accepted({ mail: 'ada@example.com', amount: 2, agree: true, color: 'g', days: ['1'] }),
    )
  })

  test('D declines at once', async () => {
    const { given } = open(form)
    await press('d')
    expect(given()).toEqual({ action: 'decline', feedback: null })
  })
})

describe('the page of a server', () => {
  const form: FormContent = {
    kind: 'elicitation-url',
    server: 'tickets',
    message: 'Sign in.',
    url: 'https://login.example.com/x?\u202ey',
  }

  test('opens when the user agrees, and is confirmed afterwards', async () => {
    const { given, card } = open(form)
    expect(card.textContent).toContain('https://login.example.com/x?')
    expect(card.textContent).toContain('RLO')
    expect(card.textContent).toContain('at login.example.com')
    await press('Enter')
    expect(bridge.inputsOf('system.openLink')).toEqual([])
    await press('o')
    expect(bridge.inputsOf('system.openLink')).toEqual([{ url: form.url }])
    await press('Enter')
    expect(given()).toEqual(accepted({}))
  })

  test('that cannot be opened says why, and is not confirmed', async () => {
    bridge.answer({
      'system.openLink': () => {
        throw new Refusal('Only https.', 'bad-link')
      },
    })
    const { onAnswer } = open(form)
    await press('o')
    expect(screen.getByRole('alert').textContent).toBe('Only https.')
    await press('Enter')
    expect(onAnswer).not.toHaveBeenCalled()
  })
})
