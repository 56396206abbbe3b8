import { cleanup } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { inTranscript } from '../testing/in-transcript.tsx'
import { StreamedText } from './streamed-text.tsx'

afterEach(cleanup)

test('a very long message shows its end while it streams', () => {
  const text = Array.from({ length: 8000 }, (_, at) => `Paragraph ${at} has some words.`).join('\n\n')
  const { container } = inTranscript(<StreamedText text={text} growing />)
  expect(container.textContent).toContain('Paragraph 7999 ')
  expect(container.textContent).not.toContain('Paragraph 0 ')
  expect(container.textContent).toContain('The start of this long message is shown when it is finished.')
  expect(container.textContent?.length).toBeLessThan(70_000)
})
