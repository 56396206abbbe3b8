import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { LoadedInstructions } from '../../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { installFakeBridge } from '../../../testing/fake-bridge.ts'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

afterEach(cleanup)
beforeEach(() => {
  installFakeBridge()
  const agent = stateAfter([new SampleLog().spawn('a')])
  useConversation.setState({ agents: new Map([['a', agent]]), childrenByToolUse: new Map(), needs: [] })
})

const file = (path: string, more: Partial<LoadedInstructions> = {}): LoadedInstructions => ({
  path,
  scope: 'project',
  importedBy: null,
  bytes: 2048,
  ...more,
})
const draw = (...files: readonly LoadedInstructions[]) =>
  inTranscript(<RowView row={{ kind: 'instructions', key: 'k', at: 1, seq: 1, files }} past={false} />)
const lines = () => screen.getAllByRole('listitem').map((line) => line.textContent)

describe('instruction files', () => {
  test('are one line until opened, and fold again', () => {
    draw(file('/repo/CLAUDE.md'), file('/home/me/.claude/CLAUDE.md'), file('/repo/AGENTS.md'))
    const line = screen.getByRole('button', { name: 'Loaded 3 instruction files' })
    expect(line.getAttribute('aria-expanded')).toBe('false')
    expect(screen.queryByRole('list')).toBeNull()
    fireEvent.click(line)
    expect(line.getAttribute('aria-expanded')).toBe('true')
    const list = screen.getByRole('list', { name: 'Loaded 3 instruction files' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(3)
    fireEvent.click(line)
    expect(screen.queryByRole('list')).toBeNull()
  })

  test('show their path, source, size and importer', () => {
    draw(
      file('/home/me/.claude/CLAUDE.md', { scope: 'user', bytes: 512 }),
      file('/work/shop/docs/style.md', { importedBy: '/work/shop/CLAUDE.md' }),
      file('/data/m/MEMORY.md', { scope: 'agent' }),
    )
    fireEvent.click(screen.getByRole('button'))
    expect(lines()).toEqual([
      '/home/me/.claude/CLAUDE.md yours, for all projects · 512 B',
      'docs/style.md project · 2.0 KB · imported by CLAUDE.md',
      '/data/m/MEMORY.md its own memory · 2.0 KB',
    ])
  })

  test('that were deleted are marked', () => {
    draw(file('/repo/CLAUDE.md'), file('/repo/AGENTS.md', { bytes: 0 }))
    fireEvent.click(screen.getByRole('button', { name: 'Loaded 1 instruction file, 1 deleted' }))
    expect(lines()[1]).toContain('deleted')
    cleanup()
    draw(file('/repo/AGENTS.md', { bytes: 0 }))
    expect(screen.getByRole('button', { name: '1 instruction file deleted' })).toBeTruthy()
  })

  test('show invisible characters in paths', () => {
    draw(file('/repo/a\u202egnp.md'))
    fireEvent.click(screen.getByRole('button'))
    expect(lines()[0]).toContain('RLO')
  })
})
