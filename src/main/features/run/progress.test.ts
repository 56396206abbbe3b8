import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { sampleDefinition, sampleEvent } from '../../../shared/testing/sample-events.ts'
import { rowForName } from '../../../shared/tools/row-for-name.ts'
import { createProgress } from './progress.ts'

const at = (agentId: string, seq: number) => ({ agentId, seq, order: seq, at: 1000 + seq })

const spawned = (agentId: string, parentId: string | null, task: string): AgentEvent =>
  sampleEvent('agent-spawned', {
    ...at(agentId, 0),
    ...{ parentId, task, depth: parentId === null ? 0 : 1 },
    ...{ definition: sampleDefinition({ name: parentId === null ? 'main' : 'Explore' }) },
  })

const started = (agentId: string, summary: string): AgentEvent =>
  sampleEvent('tool-started', { ...at(agentId, 1), name: 'Bash', summary, row: rowForName('Bash') })

/** The lines of a terminal after all writes and cursor moves. */
function screen(written: readonly string[]): readonly string[] {
  let lines: string[] = []
  for (const text of written) {
    const match = /^(?:\u001b\[(\d+)A\u001b\[J)?(.*)$/s.exec(text)
    if (match?.[1]) lines = lines.slice(0, lines.length - Number(match[1]))
    lines.push(...(match?.[2] ?? '').split('\n').slice(0, -1))
  }
  return lines
}

function progressOn(size: { columns: number; rows: number }, isTTY = true) {
  const written: string[] = []
  const progress = createProgress({
    isTTY,
    size: () => size,
    write: (text) => written.push(text),
    moveUp: (lines) => written.push(`\u001b[${lines}A\u001b[J`),
  })
  return { progress, written, lines: () => screen(written) }
}

test('a terminal has one line per agent, redrawn in place', () => {
  const { progress, lines } = progressOn({ columns: 100, rows: 30 })
  progress.show(spawned('a-1', null, ''))
  progress.show(spawned('a-2', 'a-1', 'Look'))
  progress.show(started('a-2', 'ls'))
  expect(lines()).toHaveLength(2)
  expect(lines()[1]).toMatch(/^ {2}· Explore Look .* Bash ls$/)
})

test('no line wraps, whatever its content', () => {
  const { progress, lines } = progressOn({ columns: 40, rows: 30 })
  progress.show(spawned('a-1', null, ''))
  progress.show(started('a-1', `${'日本語'.repeat(30)}\u001b[2J\n${'x'.repeat(300)}`))
  expect(lines()).toHaveLength(1)
  const [line = ''] = lines()
  expect(line).not.toContain('\u001b')
  const width = [...line].reduce((sum, character) => sum + (/[\u3041-\u9fff]/.test(character) ? 2 : 1), 0)
  expect(width).toBeLessThanOrEqual(39)
})

test('with more agents than rows live agents come first, and the rest is counted', () => {
  const { progress, written, lines } = progressOn({ columns: 80, rows: 8 })
  progress.show(spawned('a-0', null, ''))
  for (let at = 1; at <= 30; at++) progress.show(spawned(`a-${at}`, 'a-0', `Part ${at}`))
  expect(lines()).toHaveLength(6)
  expect(lines().at(-1)).toBe('  … and 26 more')
  for (const text of written) expect(text.split('\n').length).toBeLessThanOrEqual(8)
})

test('a message in between stays, and the lines continue below it', () => {
  const { progress, written, lines } = progressOn({ columns: 80, rows: 8 })
  progress.show(spawned('a-0', null, ''))
  progress.end()
  written.push('troupe: something\n')
  progress.show(started('a-0', 'ls'))
  expect(lines()).toHaveLength(3)
  expect(lines()[1]).toBe('troupe: something')
})

test('plain output is a log without cursor moves', () => {
  const { progress, written } = progressOn({ columns: 80, rows: 8 }, false)
  progress.show(spawned('a-0', null, ''))
  progress.show(spawned('a-1', 'a-0', 'Look'))
  progress.show(started('a-1', 'ls\u001b[31m'))
  expect(written).toEqual(['Explore (Look): started\n', 'Explore (Look): Bash ls⟨ESC⟩[31m\n'])
})

const phase = (name: 'research' | 'synthesis', note: string) => ({
  v: 1 as const,
  conversationId: 'c-1',
  seq: 1,
  order: 5,
  at: 1000,
  type: 'phase-changed' as const,
  phase: name,
  note,
})

test('a terminal shows the current phase above the agents', () => {
  const { progress, lines } = progressOn({ columns: 60, rows: 8 })
  progress.show(spawned('a-0', null, ''))
  progress.show(phase('research', 'Look at the parser.'))
  progress.show(phase('synthesis', `\u001b[2J${'x'.repeat(100)}`))
  for (let at = 1; at <= 30; at++) progress.show(spawned(`a-${at}`, 'a-0', `Part ${at}`))
  expect(lines()[0]).toMatch(/^Phase 2 of 4, synthesis: ⟨ESC⟩\[2Jx+$/)
  expect(lines()[0]?.length).toBeLessThanOrEqual(59)
  expect(lines()).toHaveLength(6)
})

test('plain output has a line for each phase, and none for other events of the conversation', () => {
  const { progress, written } = progressOn({ columns: 80, rows: 8 }, false)
  progress.show(phase('research', ''))
  progress.show({ ...phase('research', ''), type: 'conversation-titled', title: 'x', named: false })
  progress.show(phase('synthesis', 'Divide the work.'))
  expect(written).toEqual(['Phase 1 of 4, research\n', 'Phase 2 of 4, synthesis: Divide the work.\n'])
})
