/** A part of the details of a task. */
import type { ReactNode } from 'react'

/** A heading and its content. */
export function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="grid min-w-0 content-start gap-1">
      <h3 className="side-heading">{title}</h3>
      {children}
    </section>
  )
}
