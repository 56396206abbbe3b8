/** A thin bar in the agent's colour: turns taken of those allowed. The figures stand beside it in words. */
export function Meter({ value, max }: { readonly value: number; readonly max: number }) {
  const share = max > 0 ? Math.min(1, value / max) : 0
  return (
    <span
      aria-hidden="true"
      className="inline-block h-1 w-[34px] shrink-0 self-center overflow-hidden rounded-[2px] bg-bg-3"
    >
      <span className="block h-full bg-agent" style={{ width: `${share * 100}%` }} />
    </span>
  )
}
