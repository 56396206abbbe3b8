/** Provides the surroundings of a transcript to rows, for tests. */
import { type RenderResult, render } from '@testing-library/react'
import type { ReactElement } from 'react'
import { vi } from 'vitest'
import { TooltipProvider } from '../../../ui/popover.tsx'
import { StreamedTexts } from '../stream/streamed-texts.ts'
import { FoldStates, type Surroundings, SurroundingsContext } from '../surroundings.ts'

export function inTranscript(
  row: ReactElement,
  more: Partial<Omit<Surroundings, 'openFile' | 'openLink'>> = {},
) {
  const surroundings = {
    agentId: 'a',
    openFile: vi.fn<Surroundings['openFile']>(),
    openLink: vi.fn<Surroundings['openLink']>(),
    openAgent: null,
    folds: new FoldStates(),
    streamed: new StreamedTexts(),
    ...more,
  }
  const wrap = (child: ReactElement) => (
    <TooltipProvider>
      <SurroundingsContext value={surroundings}>{child}</SurroundingsContext>
    </TooltipProvider>
  )
  const view: RenderResult = render(wrap(row))
  return { ...view, surroundings, redraw: (next: ReactElement) => view.rerender(wrap(next)) }
}
