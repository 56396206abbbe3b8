/** The caret at the end of streaming text, and the plain text received since the last parse. */
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
