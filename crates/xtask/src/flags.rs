//! The command line.

use std::path::PathBuf;

xflags::xflags! {
    /// Each command first installs the tools that it lacks, in pinned versions, into your cache (or into ASK_TOOLS_DIR).
    cmd xtask {
        /// Runs the chat page and its server until Ctrl+C. The page is rebuilt when its sources change.
        cmd serve {
            /// Port of the page on 127.0.0.1 (8080); 0 takes any free one.
            optional -p,--port port: u16
            /// Builds the page as users get it: smaller and faster, but the build takes longer.
            optional --release
            /// Builds the gallery of the card, too: add ?gallery to the address.
            optional --gallery
            /// Opens the page in the default browser.
            optional --open
            /// Puts the page in front of this AG-UI agent, such as http://127.0.0.1:8000/, and passes its requests on.
            optional --agent url: String
            /// Also lets the page talk to agents at this origin, such as https://agent.example.
            repeated --allow-agent origin: String
            /// The server's model: front-desk, coding-desk, or a vendor such as openai (OPENAI_MODEL, OPENAI_BASE_URL, OPENAI_API_KEY) or mistral.
            optional --model name: String
            /// The file with the system prompt for a vendor's model.
            optional --system-prompt file: PathBuf
        }
        /// Runs every check, or those whose names contain one of these words: `cargo xtask test card firefox`.
        cmd test {
            repeated word: String
            /// Leaves out the checks whose names contain this word. A check that can't run fails otherwise.
            repeated --without word: String
            /// Lints, runs the native tests and the card's tests in Chromium: the checks to run while one writes.
            optional --quick
            /// Lists the checks.
            optional --list
        }
        /// Builds the page to deploy into dist and prints the weight of each file. Fails if they exceed the budget.
        cmd build {
            /// Also makes the folder `demo` for any static host, in which the front desk answers inside the page.
            optional --demo
        }
        /// Runs agents of other frameworks behind the page, as crates/agent-chat/recipes starts them: all, or the named ones. Compares the
        /// results with the table of the recipes' README. `clients` runs released AG-UI clients against the server.
        cmd agents {
            repeated name: String
            /// Stores their streams as test data of ag-ui-stream.
            optional --record
        }
        /// Makes a book of the documents, with the reference of the crates beside it, in target/book.
        cmd doc {}
        /// Installs Trunk and the tools that it calls, and prints the line that puts them on the PATH of a shell.
        cmd tools {}
        /// Builds pages that carry one part each, such as the stream reader or the card, and prints the weight of each program.
        cmd size {}
        /// Makes what is published beside the crates, or the named part of it. `question-card` is the card's package for npm. `question-server`
        /// is the program with the page inside: packages for npm, a wheel and an archive.
        cmd pack {
            repeated name: String
            /// Takes the programs of all platforms from the archives in this folder, as `dist` makes them, and builds none.
            optional --archives folder: PathBuf
        }
        /// Builds pages of JavaScript frameworks and chat toolkits with the packed package and drives them: all, or the named ones.
        cmd pages {
            repeated name: String
            /// The browser: chromium (the default), firefox or webkit.
            optional --browser name: String
        }
        /// Makes the README's pictures.
        cmd picture {}
        /// Measures one part and prints its table.
        cmd bench {
            /// The card in a browser: streams, answers, a thousand cards.
            cmd card {}
            /// The first card of the custom element in a page that has nothing else.
            cmd element {}
            /// A first visit of the page in a browser: the bytes transferred, and the time until one can write.
            cmd page {}
            /// The stream reader as WebAssembly in Node, beside JavaScript's.
            cmd stream {}
        }
    }
}
