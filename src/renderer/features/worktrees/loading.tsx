/** A file or picture that is being loaded. */
import { useEffect, useState } from 'react'
import { Spinner } from '../../ui/spinner.tsx'

/** Appears after half a second: a fast load must not flash. */
export function Loading({ label }: { readonly label: string }) {
  const [shown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 500)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div aria-busy="true" className="m-auto">
      {shown && (
        <p role="status" className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> {label}
        </p>
      )}
    </div>
  )
}
