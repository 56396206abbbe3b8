/** The caret at the end of a text that streams, and the plain words that came since it was parsed. */
import { createContext, useContext } from 'react'
import styles from './markdown.module.css'

export const CaretSuffix = createContext('')

export function CaretMark() {
  const suffix = useContext(CaretSuffix)
  return (
    <>
      {suffix}
      <span className={styles.caret} data-caret="" />
    </>
  )
}
