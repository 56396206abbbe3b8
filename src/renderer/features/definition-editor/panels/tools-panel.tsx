/** The tools an agent will really have, and why it does not have the others. */
import { Chip } from '../../../ui/chip.tsx'
import type { ToolReasons } from './tool-reasons.ts'

interface ToolsPanelProps {
  /** Null: nobody can know yet. */
  readonly reasons: ToolReasons | null
  readonly onShow: (place: { readonly from: number; readonly to: number }) => void
}

export function ToolsPanel({ reasons, onShow }: ToolsPanelProps) {
  if (reasons === null) return <p className="text-fg-2">None, until what is wrong with it is mended.</p>
  return (
    <div className="grid gap-1.5">
      {reasons.allowed.length === 0 ? (
        <p className="text-fg-1">None: it can only think and answer.</p>
      ) : (
        <ul aria-label="Tools it has" className="flex flex-wrap gap-1">
          {reasons.allowed.map((tool) => (
            <li key={tool} className="flex min-w-0">
              <Chip tone="ok">{tool}</Chip>
            </li>
          ))}
        </ul>
      )}
      <ul aria-label="Tools it does not have" className="grid gap-1.5">
        {reasons.missing.map(({ reason, tools, place }) => (
          <li key={reason} className="text-fg-2 leading-6">
            {tools.map((tool) => (
              <Chip key={tool} className="mr-1 max-w-full align-middle">
                <s className="truncate">{tool}</s>
              </Chip>
            ))}
            {place === null ? (
              reason
            ) : (
              <button
                type="button"
                onClick={() => onShow(place)}
                className="rounded-xs text-left hover:text-fg-0 hover:underline"
              >
                {reason}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
