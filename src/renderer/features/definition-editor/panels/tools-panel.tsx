/** The tools an agent will really have, and why it does not have the others. */
import { Chip } from '../../../ui/chip.tsx'
import type { ToolReasons } from './tool-reasons.ts'

interface ToolsPanelProps {
  /** Null: the text is no agent. */
  readonly reasons: ToolReasons | null
  readonly onShow: (place: { readonly from: number; readonly to: number }) => void
}

export function ToolsPanel({ reasons, onShow }: ToolsPanelProps) {
  if (reasons === null) return <p className="text-fg-2">The text is no agent yet.</p>
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
          <li key={reason} className="flex flex-wrap items-center gap-1">
            {tools.map((tool) => (
              <Chip key={tool} className="text-fg-2">
                <s className="truncate">{tool}</s>
              </Chip>
            ))}
            {place === null ? (
              <span className="pl-0.5 text-fg-2">{reason}</span>
            ) : (
              <button
                type="button"
                onClick={() => onShow(place)}
                className="rounded-xs pl-0.5 text-left text-fg-2 hover:text-fg-0 hover:underline"
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
