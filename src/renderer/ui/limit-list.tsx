/** A list of limits: name, usage, meter and owner. */
import { Meter } from './meter.tsx'

export interface LimitLine {
  /** "Tokens". */
  readonly what: string
  /** "38k of 5M". */
  readonly text: string
  /** "its own", "the conversation’s", "no limit". */
  readonly whose: string
  readonly spent: number
  /** Null: no limit. */
  readonly most: number | null
}

export function LimitList({ lines }: { readonly lines: readonly LimitLine[] }) {
  return (
    <table className="w-full text-sm" data-selectable="">
      <thead className="sr-only">
        <tr>
          <th>What</th>
          <th>Spent</th>
          <th>Share</th>
          <th>Owner</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ what, text, whose, spent, most }, index) => (
          <tr key={`${what} ${whose}`} className="h-6 whitespace-nowrap text-fg-2">
            <th scope="row" className="pr-4 text-left font-medium text-fg-1">
              {what === lines[index - 1]?.what ? <span className="sr-only">{what}</span> : what}
            </th>
            <td className="pr-2.5 text-right font-mono text-fg-0 text-xs tabular-nums">{text}</td>
            <td className="pr-4 align-middle">
              {most === null ? null : (
                <span className="flex items-center">
                  <Meter of="agent" value={spent} max={most} />
                  <span className="sr-only">{Math.round((spent / most) * 100)}%</span>
                </span>
              )}
            </td>
            <td className="max-w-40 truncate">{whose}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
