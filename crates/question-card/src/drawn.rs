//! A Leptos view of an element that a [`Writer`](crate::writer::Writer) draws.

use crate::browser;
use crate::labels::concat;
use leptos::attr::Attribute;
use leptos::attr::any_attribute::AnyAttribute;
use leptos::prelude::*;
use leptos::tachys::hydration::Cursor;
use leptos::tachys::view::{Position, PositionState};
use std::any::Any;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement, Node};

pub(crate) enum Drawn {
    /// On a server: the HTML, which is drawn once.
    #[cfg(feature = "ssr")]
    Html(Box<dyn FnOnce() -> String + Send>),
    /// In a page. The function gets the element that a server has written, if there is one.
    Page(Box<dyn FnOnce(Option<Element>) -> Option<DrawnElement> + Send>),
}

/// The element in the page, and the owner of its updates.
pub(crate) struct DrawnElement {
    element: Element,
    _keeper: Box<dyn Any>,
}

impl DrawnElement {
    pub(crate) fn new(element: Element, keeper: impl Any) -> Self {
        Self { element, _keeper: Box::new(keeper) }
    }
}

impl Drawn {
    fn start(self, adopts: Option<Element>) -> Option<DrawnElement> {
        match self {
            #[cfg(feature = "ssr")]
            Self::Html(_) => None,
            Self::Page(start) => start(adopts),
        }
    }
}

impl Render for Drawn {
    type State = Option<DrawnElement>;

    fn build(self) -> Self::State {
        self.start(None)
    }

    fn rebuild(self, state: &mut Self::State) {
        let focus = state.as_ref().and_then(|drawn| Focus::within(&drawn.element));
        let mut next = self.start(None);
        state.insert_before_this(&mut next);
        state.unmount();
        *state = next;
        if let (Some(focus), Some(drawn)) = (focus, state) {
            focus.move_into(&drawn.element);
        }
    }
}

/// The focus inside an element, by the id of the control that has it, and the caret there.
struct Focus {
    id: String,
    caret: Option<f64>,
}

impl Focus {
    fn within(element: &Element) -> Option<Self> {
        let focused = browser::element(&element.get_root_node(), "activeElement")?;
        let is_field = browser::text(&focused, "localName") == "textarea";
        let caret = is_field.then(|| browser::number(&focused, "selectionStart"));
        element.contains(Some(&focused)).then(|| Self { id: focused.id(), caret })
    }

    /// Focuses the control with the same id in another element.
    fn move_into(self, element: &Element) {
        // Ids need no escape (see `dom`).
        let Ok(Some(control)) = element.query_selector(&concat(&["#", &self.id])) else {
            return;
        };
        browser::focus_quietly(control.unchecked_ref());
        if let Some(caret) = self.caret {
            let field: &HtmlTextAreaElement = control.unchecked_ref();
            // Fails only for other kinds of fields.
            let _ = field.set_selection_range(caret as u32, caret as u32);
        }
    }
}

impl AddAnyAttr for Drawn {
    type Output<SomeNewAttr: Attribute> = Self;

    // A host adds attributes to an erased view of the card, which handles them by itself.
    fn add_any_attr<NewAttr: Attribute>(self, _attr: NewAttr) -> Self::Output<NewAttr> {
        self
    }
}

impl RenderHtml for Drawn {
    type AsyncOutput = Self;
    type Owned = Self;

    const MIN_LENGTH: usize = 0;

    fn dry_resolve(&mut self) {}

    async fn resolve(self) -> Self::AsyncOutput {
        self
    }

    fn to_html_with_buf(
        self,
        buf: &mut String,
        position: &mut Position,
        _escape: bool,
        _mark_branches: bool,
        extra_attrs: Vec<AnyAttribute>,
    ) {
        #[cfg(feature = "ssr")]
        if let Self::Html(html) = self {
            let html = html();
            let (mut attributes, mut class, mut style, mut inner) = Default::default();
            for attribute in extra_attrs {
                attribute.to_html(&mut attributes, &mut class, &mut style, &mut inner);
            }
            // The attributes go after the name of the first tag.
            let (tag, rest) = html.split_at(html.find([' ', '>']).unwrap_or(html.len()));
            buf.extend([tag, &attributes, rest]);
        }
        #[cfg(not(feature = "ssr"))]
        let _ = (buf, extra_attrs);
        *position = Position::NextChild;
    }

    fn hydrate<const FROM_SERVER: bool>(self, cursor: &Cursor, position: &PositionState) -> Self::State {
        match position.get() {
            Position::FirstChild => cursor.child(),
            Position::Current => {}
            _ => cursor.sibling(),
        }
        let found = cursor.current();
        position.set(Position::NextChild);
        self.start(found.dyn_into().ok())
    }

    fn into_owned(self) -> Self::Owned {
        self
    }
}

impl Mountable for DrawnElement {
    fn unmount(&mut self) {
        self.element.remove();
    }

    fn mount(&mut self, parent: &Element, marker: Option<&Node>) {
        // Fails only if the marker is not a child of the parent.
        let _ = parent.insert_before(&self.element, marker);
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        let parent = self.element.parent_node();
        parent.is_some_and(|parent| {
            child.mount(parent.unchecked_ref(), Some(&self.element));
            true
        })
    }

    fn elements(&self) -> Vec<Element> {
        vec![self.element.clone()]
    }
}
