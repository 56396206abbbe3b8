/** Virtualizes the file list. The selected row is always rendered, because the list refers to it by id. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect } from 'react'
import { useSession } from '../../../stores/session-store.ts'

/** In px, at a text size of 100 %. */
const ROW_HEIGHT = 26

interface FileVirtualizerOptions {
  readonly files: readonly { readonly path: string }[]
  /** -1: no file is selected. */
  readonly selected: number
  readonly scroller: RefObject<HTMLDivElement | null>
  /** Height of a row in px, at a text size of 100 %. */
  readonly rowHeight?: number
}

export function useFileVirtualizer({
  files,
  selected,
  scroller,
  rowHeight = ROW_HEIGHT,
}: FileVirtualizerOptions) {
  const scale = useSession((state) => state.settings.textSize) / 100
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => files[index]?.path ?? index,
    estimateSize: () => Math.round(rowHeight * scale),
    overscan: 12,
    rangeExtractor: ({ startIndex, endIndex, overscan, count }) => {
      const from = Math.max(0, startIndex - overscan)
      const to = Math.min(count - 1, endIndex + overscan)
      const rendered = new Set<number>()
      for (let index = from; index <= to; index++) rendered.add(index)
      if (selected >= 0 && selected < count) rendered.add(selected)
      return [...rendered].sort((a, b) => a - b)
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: row heights depend on the text size
  useEffect(() => virtualizer.measure(), [virtualizer, scale])
  useEffect(() => {
    if (selected !== -1) virtualizer.scrollToIndex(selected, { align: 'auto' })
  }, [virtualizer, selected])
  return virtualizer
}
