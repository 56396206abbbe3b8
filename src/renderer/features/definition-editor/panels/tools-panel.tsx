/** The effective tools of an agent, and the missing tools with their reasons. */
import { Chip } from '../../../ui/chip.tsx'
import type { ToolReasons } from './tool-reasons.ts'

interface ToolsPanelProps {
  /** An external agent: Troupe's tools don't count. */
  readonly isProgram: boolean
  /** Null while the definition has errors. */
  readonly reasons: ToolReasons | null
  readonly onReveal: (range: { readonly from: number; readonly to: number }) => void
}

export function ToolsPanel({ isProgram, reasons, onReveal }: ToolsPanelProps) {
  if (isProgram)
    return (
      <p className="text-fg-1">
        The program’s own. What it asks for goes through your rules; what it does without asking is seen
        afterwards.
      </p>
    )
  if (reasons === null) return <p className="text-fg-2">None until the errors are fixed.</p>
  return (
    <div className="grid gap-1.5">
      {reasons.allowed.length === 0 ? (
        <p className="text-fg-1">None. The agent can only answer.</p>
      ) : (
        <ul aria-label="Effective tools" className="flex flex-wrap gap-1">
          {reasons.allowed.map((tool) => (
            <li key={tool} className="flex min-w-0">
              <Chip tone="ok">{tool}</Chip>
            </li>
          ))}
        </ul>
      )}
      <ul aria-label="Missing tools" className="grid gap-1.5">
        {reasons.missing.map(({ reason, tools, range }) => (
          <li key={reason} className="text-fg-2 leading-6">
            {tools.map((tool) => (
              <Chip key={tool} className="mr-1 max-w-full align-middle">
                <s className="truncate">{tool}</s>
              </Chip>
            ))}
            {range === null ? (
              reason
            ) : (
              <button
                type="button"
                onClick={() => onReveal(range)}
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
