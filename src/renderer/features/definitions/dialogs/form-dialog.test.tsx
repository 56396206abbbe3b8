import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { Answer } from '../../../../shared/ipc/ipc-contract.ts'
import { useDialogCommand } from '../../../stores/overlay-store.ts'
import { deferred } from '../../../testing/deferred.ts'
import { Form, SubmitButton } from '../../../ui/form-dialog.tsx'

afterEach(cleanup)

interface ProbeProps {
  readonly isValid?: boolean
  readonly work: () => Promise<Answer<unknown>>
  readonly onDone: () => void
}

function Probe({ isValid = true, work, onDone }: ProbeProps) {
  const { busy, failure, clearFailure, run } = useDialogCommand()
  const submit = async () => {
    const answer = await run(work)
    if (answer?.ok) onDone()
  }
  return (
    <section aria-label="New">
      <Form canSubmit={isValid && !busy} onSubmit={() => void submit()}>
        <input aria-label="Name" onChange={clearFailure} />
        <p>{failure?.message}</p>
        <SubmitButton label="Make" isReady={isValid} busy={busy} />
      </Form>
    </section>
  )
}

const form = () => screen.getByRole('region', { name: 'New' }).querySelector('form') as HTMLFormElement
const field = () => screen.getByRole('textbox', { name: 'Name' })

test('a form submitted twice runs once, and a failure can be retried', async () => {
  const user = userEvent.setup()
  const first = deferred<Answer<unknown>>()
  const work = vi.fn(() => first.promise)
  const onDone = vi.fn()
  render(<Probe work={work} onDone={onDone} />)
  await user.type(field(), 'a{Enter}')
  fireEvent.submit(form())
  await user.click(screen.getByRole('button', { name: 'Make' }))
  expect(work).toHaveBeenCalledTimes(1)
  first.resolve({ ok: false, failure: { type: 'io', message: 'The disk is full.' } })
  await screen.findByText('The disk is full.')
  expect(onDone).not.toHaveBeenCalled()

  await user.type(field(), 'b')
  expect(screen.queryByText('The disk is full.')).toBeNull()
  work.mockResolvedValueOnce({ ok: true, value: null })
  await user.click(screen.getByRole('button', { name: 'Make' }))
  await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1))
})

test('an invalid form is not submitted', async () => {
  const user = userEvent.setup()
  const work = vi.fn()
  render(<Probe isValid={false} work={work} onDone={() => {}} />)
  await user.click(screen.getByRole('button', { name: 'Make' }))
  fireEvent.submit(form())
  expect(work).not.toHaveBeenCalled()
})
