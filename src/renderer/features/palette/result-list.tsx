/** The results of the palette as a listbox. The focus stays in the text field, which names the active option. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'

interface Result {
  /** Unique among all results. */
  readonly id: string
  readonly content: ReactNode
  readonly keys?: string | undefined
  /** Shown, but not to be run: a result of an earlier query. */
  readonly isStale?: boolean
  readonly run: () => void
}

export interface ResultGroup {
  readonly heading: string
  readonly results: readonly Result[]
}

interface Selection {
  readonly active: Result | undefined
  readonly choose: (id: string) => void
  /** Moves the selection or runs the active result. Returns whether it handled the key. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

/**
 * The active result. A new query selects the first one; from then on only the user moves the selection, whatever
 * results arrive.
 */
export function useActiveResult(groups: readonly ResultGroup[], query: string): Selection {
  const results = groups.flatMap((group) => group.results).filter(({ isStale }) => isStale !== true)
  const [chosen, setChosen] = useState({ query, id: results[0]?.id ?? null })
  const at = results.findIndex(({ id }) => id === chosen.id)
  if (chosen.query !== query || at === -1) {
    const first = results[0]?.id ?? null
    if (chosen.query !== query || chosen.id !== first) setChosen({ query, id: first })
  }
  const move = (step: number) => {
    const next = results[(at + step + results.length) % results.length]
    if (next !== undefined) setChosen({ query, id: next.id })
  }
  return {
    active: results[at],
    choose: (id) => setChosen({ query, id }),
    onKey: (event) => {
      if (event.nativeEvent.isComposing) return false
      if (event.key === 'ArrowDown') move(1)
      else if (event.key === 'ArrowUp') move(-1)
      else if (event.key === 'Enter') results[at]?.run()
      else return false
      return true
    },
  }
}

interface ResultListProps {
  readonly id: string
  readonly groups: readonly ResultGroup[]
  readonly selection: Selection
}

/** The id of the active option, for the text field. */
export function optionId(listId: string, result: Result | undefined): string | undefined {
  return result === undefined ? undefined : `${listId}-${encodeURIComponent(result.id)}`
}

export function ResultList({ id, groups, selection: { active, choose } }: ResultListProps) {
  const activeId = optionId(id, active)
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView?.({ block: 'nearest' })
  }, [activeId])
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Results"
      className="max-h-[52vh] overflow-y-auto p-1.5 empty:hidden"
    >
      {groups.map(({ heading, results }) =>
        results.length === 0 ? null : (
          <Group key={heading} heading={heading}>
            {results.map((result) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the text field handles the keys
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the text field
              <div
                key={result.id}
                id={optionId(id, result)}
                role="option"
                aria-selected={result === active}
                aria-disabled={result.isStale}
                onMouseMove={() => result.isStale !== true && result !== active && choose(result.id)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => result.isStale !== true && result.run()}
                className={classNames(
                  'flex h-[30px] min-w-0 items-center gap-2.5 rounded-sm px-2.5 text-md',
                  result === active ? 'bg-bg-3 text-fg-0' : 'text-fg-1',
                )}
              >
                <span className="flex min-w-0 flex-1 items-center gap-2.5">{result.content}</span>
                {result.keys !== undefined && <Kbd keys={result.keys} />}
              </div>
            ))}
          </Group>
        ),
      )}
    </div>
  )
}

function Group({ heading, children }: { readonly heading: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset
    <div role="group" aria-labelledby={id}>
      <div id={id} className="side-heading px-2.5 pt-2 pb-1">
        {heading}
      </div>
      {children}
    </div>
  )
}
