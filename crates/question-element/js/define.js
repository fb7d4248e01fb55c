// Makes <question-card> known to the page. A page that wants another moment or name imports `define` from "question-card".
import { define } from "./question-card.js";

define();
