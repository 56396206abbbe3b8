/**
 * What an impatient user tries in the form of an external agent: pastes a line from a terminal, empties it, sets a
 * variable with its value, and looks for Troupe's own fields.
 */
import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { createDefinitionDocument, type DefinitionDocument } from '../definition-document.ts'
import { DefinitionForm } from './definition-form.tsx'
import { formSurroundings } from './testing/form-surroundings.ts'

const user = userEvent.setup()
afterEach(cleanup)

function open(...lines: readonly string[]): DefinitionDocument {
  const head = ['name: goose', 'description: A second opinion.', 'backing: acp']
  const document = createDefinitionDocument(['---', ...head, ...lines, '---', '', 'Be brief.', ''].join('\n'))
  render(
    <DefinitionForm
      document={document}
      surroundings={formSurroundings()}
      readOnly={false}
      onReveal={vi.fn()}
    />,
  )
  return document
}

const command = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Command' })
async function paste(text: string) {
  await user.tripleClick(command())
  await user.paste(text)
}

test('the command is one line, as in a terminal; its arguments follow', async () => {
  const document = open('command: goose # the binary', 'args: [acp]')
  expect(command().value).toBe('goose acp')
  await paste('npx -y "@makers/goose" --name "My Goose"')
  expect(document.text).toContain('command: npx # the binary\n')
  expect(document.text).toContain('args: ["-y", "@makers/goose", "--name", My Goose]')
  document.undo()
  expect(document.text).toContain('command: goose # the binary\nargs: [acp]\n')
})

test('arguments that are gone leave no key behind', async () => {
  const document = open('command: goose', 'args: [acp]')
  await paste('goose')
  expect(document.text).not.toContain('args')
})

test('an emptied command says what to enter, and the text keeps the last valid one', async () => {
  const document = open('command: goose', 'args: [acp]')
  await user.clear(command())
  expect(screen.getByText('Enter the program to start, such as goose acp.')).toBeTruthy()
  expect(command().getAttribute('aria-invalid')).toBe('true')
  expect(document.text).toContain('command: goose\nargs: [acp]')
})

test('a line for a shell is refused with what to do', async () => {
  const document = open('command: goose')
  await paste('GOOSE_KEY=secret goose acp')
  expect(screen.getByText(/Add GOOSE_KEY under Variables/)).toBeTruthy()
  await paste('goose acp | tee log')
  expect(screen.getByText(/No shell runs this line/)).toBeTruthy()
  expect(document.text).not.toContain('secret')
  expect(document.text).toContain('command: goose\n')
})

test('a definition without a command says so at its field, which repairs it', async () => {
  const document = open()
  expect(screen.getByText(/needs command/)).toBeTruthy()
  await paste('goose acp')
  expect(document.text).toContain('command: goose\nargs: [acp]')
  expect(screen.queryByText(/needs command/)).toBeNull()
})

test('variables are names; a value in their place is refused', async () => {
  const document = open('command: goose')
  await user.click(screen.getByRole('button', { name: 'Add variable' }))
  await user.keyboard('GOOSE_KEY=abc{Enter}')
  expect(screen.getByText(/Enter the name alone/)).toBeTruthy()
  expect(document.text).not.toContain('abc')
  await user.keyboard('{Backspace}{Backspace}{Backspace}{Backspace}{Enter}')
  expect(document.text).toContain('env: [GOOSE_KEY]')
})

test('variables with values stay as they are, and are listed as edited in the source', () => {
  open('command: goose', 'env: { MODE: fast }')
  expect(screen.queryByRole('button', { name: 'Add variable' })).toBeNull()
  expect(screen.getByRole('region', { name: 'Other keys' }).textContent).toContain('env: { MODE: fast }')
})

test('fields that a program can’t be held to are not offered; one in the file is listed with its reason', () => {
  open('command: goose', 'tools: Read')
  for (const label of ['Permission mode', 'Tools', 'Context', 'Memory', 'Max turns', 'Skills'])
    expect(screen.queryByText(label), label).toBeNull()
  expect(screen.getByText(/can’t be held to tools/)).toBeTruthy()
  expect(screen.getByRole('region', { name: 'Other keys' }).textContent).toContain('tools: Read')
  expect(screen.getByRole('textbox', { name: 'Model' })).toBeTruthy()
  expect(screen.getByText('Isolation')).toBeTruthy()
})
