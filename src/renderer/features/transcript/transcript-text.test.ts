import { expect, test } from 'vitest'
import { SampleLog } from '../../../shared/testing/sample-log.ts'
import { rowForName } from '../../../shared/tools/row-for-name.ts'
import { TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { transcriptText } from './transcript.tsx'

test('names the speakers and includes tool output without terminal colors', () => {
  const script = new SampleLog()
  script.spawn('a')
  const { rows } = TranscriptRows.from([
    script.next('a', {
      type: 'user-message',
      messageId: 'u',
      from: 'user',
      sender: null,
      content: [{ type: 'text', text: 'Why?' }],
    }),
    script.says('a', 'I look.'),
    script.uses('a', 't1', 'Bash'),
    script.next('a', {
      type: 'tool-started',
      toolUseId: 't1',
      name: 'Bash',
      input: {},
      summary: 'npm test',
      row: rowForName('Bash'),
      sideEffects: true,
    }),
    script.next('a', {
      type: 'tool-ended',
      toolUseId: 't1',
      name: 'Bash',
      isError: true,
      content: '\x1b[31mfailed\x1b[0m\n```',
      note: 'exit code 1',
      durationMs: 1,
      display: null,
      outputFile: null,
    }),
  ])
  expect(transcriptText(rows, 'Explore')).toBe(
    '**You:** Why?\n\n**Explore:** I look.\n\n- Bash `npm test` (exit code 1)\n````\nfailed\n```\n````',
  )
})
