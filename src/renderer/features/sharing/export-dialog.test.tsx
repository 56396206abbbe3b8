import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { SharePreview } from '../../../shared/sharing/sharing.ts'
import { onNotice, showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { ExportDialog } from './export-dialog.tsx'

const user = userEvent.setup()
const agent = (id: string, name: string, parentId: string | null, depth: number) => ({
  ...{ id, name, parentId, depth, type: 'Explore', status: 'completed' },
})

/** The program leaves out agents with what is below them. */
function previewOf({ format, without }: CommandInput<'sharing.preview'>): SharePreview {
  const left = (id: string) => without.includes(id) || (id === 'c' && without.includes('b'))
  return {
    title: 'Honest retries',
    format,
    agents: [
      agent('a', 'Main agent', null, 0),
      agent('b', 'Read the code', 'a', 1),
      agent('c', 'Count the lines', 'b', 2),
    ].map((one) => ({ ...one, left: left(one.id), events: 12 })),
    events: 36,
    files: ['~/shop/a.ts'],
    fileCount: 3,
    bytes: 32_000,
    secrets: 3,
    places: [{ agentId: 'b', seq: 7, what: 'output of Bash', excerpt: 'KEY=[secret]', count: 2 }],
    notes: ['The home folder reads ~ in all paths.'],
  }
}

let bridge: FakeBridge
let notices: string[]
let stopListening: () => void
beforeEach(() => {
  notices = []
  stopListening = onNotice(({ text }) => notices.push(text))
  bridge = installFakeBridge({ 'sharing.preview': previewOf })
})
afterEach(() => {
  cleanup()
  stopListening()
  useOverlay.setState({ overlay: null, about: null })
})

function Opened() {
  const overlay = useOverlay((state) => state.overlay)
  return <ExportDialog open={overlay === 'export'} onClose={() => showOverlay(null)} />
}

async function open(): Promise<HTMLElement> {
  showOverlay('export', 'c1')
  render(<Opened />)
  const dialog = await screen.findByRole('dialog', { name: 'Export conversation' })
  await within(dialog).findByText('32 KB · 3 agents · 36 events')
  return dialog
}

test('shows agents, masked places, files and size before anything is written', async () => {
  const dialog = await open()
  expect(within(dialog).getByText('3 secrets masked')).toBeTruthy()
  expect(within(dialog).getByText('KEY=[secret]').closest('li')?.textContent).toBe(
    'Read the code, output of Bash: KEY=[secret]',
  )
  expect(within(dialog).getByText('and 1 more secret')).toBeTruthy()
  expect(within(dialog).getByText('Names 3 files')).toBeTruthy()
  expect(within(dialog).getByText('The home folder reads ~ in all paths.')).toBeTruthy()
  expect(bridge.inputsOf('system.saveShared')).toEqual([])
})

test('the keyboard chooses the format and agents, and exports what the preview shows', async () => {
  const dialog = await open()
  await user.click(within(dialog).getByRole('radio', { name: 'Web page' }))
  await user.keyboard('{ArrowRight}')
  expect(within(dialog).getByText('Text to read, with folded tool calls.')).toBeTruthy()
  const reader = within(dialog).getByRole<HTMLInputElement>('checkbox', { name: /Read the code/ })
  reader.focus()
  await user.keyboard(' ')
  await within(dialog).findByText('32 KB · 1 agent · 36 events')
  const below = within(dialog).getByRole<HTMLInputElement>('checkbox', { name: /Count the lines/ })
  expect([below.checked, below.disabled]).toEqual([false, true])
  expect(within(dialog).getByRole<HTMLInputElement>('checkbox', { name: /Main agent/ }).disabled).toBe(true)
  const share = { conversationId: 'c1', format: 'markdown', without: ['b'], keepPaths: false }
  expect(bridge.inputsOf('sharing.preview').at(-1)).toEqual(share)

  await user.click(within(dialog).getByRole('button', { name: 'Export…' }))
  await expect.poll(() => notices).toEqual(['Exported 32 KB to /work/shared.html.'])
  expect(bridge.inputsOf('system.saveShared')).toEqual([share])
  expect(useOverlay.getState().overlay).toBe(null)
})

test('a file dialog that is canceled, and a failure, leave the export open', async () => {
  let answers: readonly (() => null)[] = [
    () => null,
    () => {
      throw new Refusal('The disk is full.')
    },
  ]
  bridge = installFakeBridge({
    'sharing.preview': previewOf,
    'system.saveShared': () => {
      const [answer = () => null, ...more] = answers
      answers = more
      return answer()
    },
  })
  const dialog = await open()
  await user.click(within(dialog).getByRole('button', { name: 'Export…' }))
  await user.click(within(dialog).getByRole('button', { name: 'Export…' }))
  expect(await within(dialog).findByText('The disk is full.')).toBeTruthy()
  expect(useOverlay.getState().overlay).toBe('export')
})

test('the keyboard sends spans to a receiver, whose answer the dialog shows, and keeps its address', async () => {
  let refusal: string | null = 'Nothing listens at localhost:4318.'
  bridge = installFakeBridge({
    'sharing.preview': previewOf,
    'system.sendShared': () => {
      if (refusal !== null) throw new Refusal(refusal, 'not-sent')
      return { spans: 40, receiver: 'localhost:4318' }
    },
  })
  const dialog = await open()
  await user.click(within(dialog).getByRole('radio', { name: 'OpenTelemetry' }))
  await user.click(within(dialog).getByRole('radio', { name: 'File' }))
  await user.keyboard('{ArrowRight}')
  const sends = within(dialog).getByRole('button', { name: 'Send…' })
  expect(sends.getAttribute('aria-disabled')).toBe('true')
  within(dialog).getByRole('textbox', { name: 'Address of the receiver' }).focus()
  await user.keyboard('http://localhost:4318{Enter}')
  expect(await within(dialog).findByText('Nothing listens at localhost:4318.')).toBeTruthy()
  refusal = null
  await user.keyboard('{Enter}')
  await expect.poll(() => notices).toEqual(['Sent 40 spans to localhost:4318.'])
  const share = { conversationId: 'c1', without: [], keepPaths: false, address: 'http://localhost:4318' }
  expect(bridge.inputsOf('system.sendShared')).toEqual([share, share])
  expect(bridge.inputsOf('system.saveShared')).toEqual([])
  cleanup()
  const again = await open()
  await user.click(within(again).getByRole('radio', { name: 'OpenTelemetry' }))
  await user.click(within(again).getByRole('radio', { name: 'Receiver' }))
  expect(within(again).getByRole<HTMLInputElement>('textbox').value).toBe('http://localhost:4318')
})

test('Escape cancels the reading', async () => {
  let finish = (): void => {}
  bridge = installFakeBridge({
    'sharing.preview': (share) =>
      new Promise((resolve) => {
        finish = () => resolve(previewOf(share))
      }),
    'sharing.cancel': () => finish(),
  })
  showOverlay('export', 'c1')
  render(<Opened />)
  await screen.findByText('Reading the conversation…')
  expect(
    screen.getByRole<HTMLButtonElement>('button', { name: 'Export…' }).getAttribute('aria-disabled'),
  ).toBe('true')
  await user.keyboard('{Escape}')
  expect(bridge.inputsOf('sharing.cancel')).toEqual([{ conversationId: 'c1' }])
  expect(useOverlay.getState().overlay).toBe(null)
})

test('a dialog that is closed while the file is written cancels it, and opens clean again', async () => {
  let refuse = (): void => {}
  bridge = installFakeBridge({
    'sharing.preview': previewOf,
    'system.saveShared': () =>
      new Promise((_, reject) => {
        refuse = () => reject(new Refusal('Canceled. Nothing was written.', 'canceled'))
      }),
    'sharing.cancel': () => refuse(),
  })
  const dialog = await open()
  await user.click(within(dialog).getByRole('button', { name: 'Export…' }))
  await within(dialog).findByText('Writing the conversation…')
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }))
  expect(bridge.inputsOf('sharing.cancel')).toEqual([{ conversationId: 'c1' }])
  await expect.poll(() => useOverlay.getState().overlay).toBe(null)
  act(() => showOverlay('export', 'c1'))
  await screen.findByText('32 KB · 3 agents · 36 events')
  expect(screen.queryByText(/^Canceled/)).toBe(null)
})

test('says why a conversation can’t be read', async () => {
  bridge = installFakeBridge({
    'sharing.preview': () => {
      throw new Refusal('Conversation not found.', 'not-found')
    },
  })
  showOverlay('export', 'gone')
  render(<Opened />)
  expect(await screen.findByText('Conversation not found.')).toBeTruthy()
})
