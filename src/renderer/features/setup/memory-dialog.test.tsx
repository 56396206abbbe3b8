import { cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { SetupItem } from '../../../shared/setup/setup.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { MemoryDialog } from './memory-dialog.tsx'

afterEach(cleanup)

const item = (more: Partial<SetupItem>): SetupItem => ({
  ...{ group: 'project', what: 'Memory', shown: 'CLAUDE.md', file: '/work/shop/CLAUDE.md', files: 1 },
  ...{ state: 'used', details: '12 lines, in every conversation', notes: [] },
  ...more,
})

async function open(items: readonly SetupItem[]) {
  const bridge = await startWindow()
  bridge.answer({ 'setup.report': ({ folder }) => ({ folder, trusted: true, items }) })
  render(<MemoryDialog open onClose={() => {}} />)
  return bridge
}

test('lists the memory files, says which do not count, and opens one in the editor', async () => {
  const bridge = await open([
    item({}),
    item({
      shown: 'AGENTS.md',
      file: '/work/shop/AGENTS.md',
      state: 'not-used',
      notes: ['CLAUDE.md counts.'],
    }),
    item({ what: 'Agents', shown: '.claude/agents/' }),
  ])
  await screen.findByText('CLAUDE.md')
  expect(screen.getAllByRole('listitem')).toHaveLength(2)
  expect(screen.getByText('This project · CLAUDE.md counts.')).toBeTruthy()
  await userEvent.click(screen.getByRole('button', { name: 'Open CLAUDE.md' }))
  expect(bridge.inputsOf('system.openSetup')).toMatchObject([{ path: '/work/shop/CLAUDE.md' }])
})

test('without memory files it says how to get one', async () => {
  await open([])
  expect(await screen.findByText(/Send \/init/)).toBeTruthy()
})
